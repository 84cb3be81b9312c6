package api

import "slices"

import (
	"github.com/weirnet/weir/api/rest"
)

// The paths that several routes, or texts, have.
const (
	switchesPath = "/v1/switches"
	hostsPath    = "/v1/hosts"
	configPath   = "/v1/config"
	drainPath    = "/v1/drain"
	eventsPath   = "/v1/events"
	auditPath    = "/v1/audit"
	backupPath   = "/v1/backup"
	tokensPath   = "/v1/tokens"
	tenantsPath  = "/v1/tenants"
	membersPath  = "/v1/members"
)

// routes returns the routes of all resources, in the order in which the plain page lists them.
func (s *Server) routes(cfg *Config) []rest.Route {
	return slices.Concat(
		(&members{s.reader, cfg.Members, cfg.Roster}).routes(),
		(&switches{s.reader, cfg.Switches, cfg.Limits.AskWait, cfg.Counters, cfg.Sync}).routes(),
		(&links{s.reader}).routes(),
		(&hosts{s.reader}).routes(),
		(&flows{s.reader, cfg.Counters, cfg.IntentRules, cfg.SoftRules, cfg.TenantOf}).routes(),
		(&objects{s.reader, cfg.Groups, cfg.Meters}).routes(),
		(&paths{s.Clock, cfg.Paths}).routes(),
		(&check{s.Clock, cfg.Check, cfg.Intents}).routes(),
		(&apps{s.reader, cfg.Apps}).routes(),
		(&alarms{s.reader, cfg.Instance}).routes(),
		s.events.routes(),
		(&configuration{s.Clock, cfg.Configuration}).routes(),
		(&drains{s.reader, cfg.Drains}).routes(),
		(&forgetting{s.reader, cfg.Forgetter}).routes(),
		s.intents.Routes(),
		(&tenants{s.reader, cfg.Tenants, cfg.TenantStates}).routes(),
		(&tokens{s.reader, cfg.Tokens}).routes(),
		(&auditLog{s.Clock, cfg.Audit}).routes(),
		(&backup{cfg.Backup, cfg.Audit, cfg.Limits.Write, cfg.Now}).routes(),
		(&instance{s.Stack, cfg.View, cfg.Version, cfg.Gatherer, cfg.Ready}).routes(),
	)
}
