package api

import (
	"net/http"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/config"
)

// The paths that several routes, or texts, have.
const (
	switchesPath = "/v1/switches"
	hostsPath    = "/v1/hosts"
	configPath   = "/v1/config"
	drainPath    = "/v1/drain"
	eventsPath   = "/v1/events"
	intentsPath  = "/v1/intents"
	intentPath   = "/v1/intents/{id}"
	withdrawPath = "/v1/intents/withdraw"
	auditPath    = "/v1/audit"
	backupPath   = "/v1/backup"
)

// routes returns all routes but those of every Stack, as the plain page lists them.
func (s *Server) routes() []Route {
	list := s.viewRoutes()
	list = append(list, s.inputRoutes()...)
	list = append(list, s.intentRoutes()...)
	return append(list, s.instanceRoutes()...)
}

// viewRoutes read the network.
func (s *Server) viewRoutes() []Route {
	noPaths := refuse(http.StatusNotFound, "this instance computes no paths")
	noCheck := refuse(http.StatusNotFound, "this instance compares no switches")
	return []Route{
		{Method: "GET", Path: "/v1/members", ID: "members", Handler: Typed(s.members), Instance: true,
			Summary: "The instances of the cluster"},
		{Method: "GET", Path: switchesPath, ID: "switches", Handler: Typed(s.switches), Summary: "All switches"},
		{Method: "GET", Path: switchesPath + "/{dpid}", ID: "switch", Handler: Typed(s.oneSwitch), Summary: "One switch"},
		{Method: "GET", Path: switchesPath + "/{dpid}/ports", ID: "switch-ports", Handler: Typed(s.switchPorts),
			Summary: "A switch's ports and their counters, as it was last heard"},
		{Method: "GET", Path: switchesPath + "/{dpid}/tables", ID: "switch-tables", Handler: Typed(s.switchTables),
			Summary: "A switch's flow tables and their counters, as it was last heard"},
		{Method: "GET", Path: switchesPath + "/{dpid}/counters", ID: "switch-counters", Handler: Typed(s.switchCounters),
			Summary: "A switch's sums over its flow entries and its ports"},
		{Method: "GET", Path: switchesPath + "/{dpid}/flows", ID: "switch-flows", Handler: Typed(s.switchFlows),
			Summary: "A switch's flow entries, as it answers now"},
		{Method: "GET", Path: "/v1/links", ID: "links", Handler: Typed(s.links),
			Summary: "All links, an item for each direction"},
		{Method: "GET", Path: hostsPath, ID: "hosts", Handler: Typed(s.allHosts), Summary: "All hosts"},
		{Method: "GET", Path: hostsPath + "/{id}", ID: "host", Handler: Typed(s.oneHost), Summary: "One host"},
		{Method: "GET", Path: hostsPath + "/{id}/{vlan}", ID: "vlan-host", Handler: Typed(s.oneVLANHost),
			Summary: "One host in a VLAN"},
		{Method: "GET", Path: "/v1/flows", ID: "flows", Handler: Typed(s.flows),
			Summary: "The rules that are wanted, and their state"},
		{Method: "GET", Path: "/v1/paths", ID: "paths", Handler: provided(s.cfg.Paths != nil, noPaths, s.paths),
			Summary: "The path that the system takes between two ends, and alternatives"},
		{Method: "GET", Path: "/v1/check", ID: "check", Handler: provided(s.cfg.Check != nil, noCheck, s.compare),
			Summary: "Compare what is wanted, the view and what switches hold: all are read"},
		{Method: "GET", Path: "/v1/apps", ID: "apps", Handler: Typed(s.apps), Summary: "The built-in applications"},
		{Method: "GET", Path: "/v1/alarms", ID: "alarms", Handler: Typed(s.alarms), Instance: true,
			Summary: "What an operator should know: active alarms, critical ones first"},
		{Method: "GET", Path: eventsPath, ID: "events", Handler: Typed(s.events), Content: "text/event-stream",
			Summary: "Changes as they happen, as server-sent events", Statuses: map[int]string{200: "Events without end."},
			Description: "Each event has the name of its kind and as data the item of the REST interface with op: put " +
				"or delete. " +
				"An event `reset` says that the position asked for is not known; a snapshot of puts follows, and `synced` ends it."},
	}
}

// inputRoutes read and change what operators set.
func (s *Server) inputRoutes() []Route {
	noConfig := refuse(http.StatusNotFound, "this instance has no configuration")
	noDrains := refuse(http.StatusNotFound, "drains are disabled on this instance")
	configured, drained := s.cfg.Configuration != nil, s.cfg.Drains != nil
	const (
		draining = "Answered when it is on the disk: it survives a restart. Paths leave it, and nothing new goes there; " +
			"the list says what still passes. The state is draining until nothing passes that could pass elsewhere; " +
			"then it is drained, or bound where pairs still pass that have no other path."
		forgotten = " Answered when it is on the disk. The answer says what depended on it."
		ofHost    = "A host that still speaks is learned again with its next packet." + forgotten
	)
	return []Route{
		{Method: "GET", Path: configPath, ID: "config",
			Handler: provided(configured, noConfig, s.configuration), Summary: "The configuration in force"},
		{Method: "POST", Path: configPath, ID: "apply", Handler: provided(configured, noConfig, s.apply), DryRun: RoleViewer,
			BodyBytes: config.MaxBytes + 1, // so that one that is too long is told its limit
			Summary:   "Replace the configuration",
			Description: "The whole configuration is given. It is validated whole: if anything is wrong with it " +
				"nothing is changed, and the problem " +
				"lists all that is wrong, with lines. What is not touched by it goes on undisturbed. Needs role " +
				"operator; for the " +
				"fields that docs/config.md marks so, admin; for a dry run, viewer. Answered when it is on the disk."},
		{Method: "GET", Path: drainPath, ID: "drains", Handler: provided(drained, noDrains, s.drains),
			Summary: "What is drained, and what still passes there"},
		{Method: "POST", Path: drainPath, ID: "drain", Handler: provided(drained, noDrains, s.drain),
			Summary: "Take a switch, port or link out of use without loss", Description: draining},
		{Method: "PUT", Path: drainPath, ID: "put-drain", Handler: provided(drained, noDrains, s.drain),
			Summary: "Take a switch, port or link out of use without loss", Description: draining},
		{Method: "DELETE", Path: drainPath, ID: "undrain",
			Handler: provided(drained, noDrains, s.undrain), Status: http.StatusNoContent,
			Summary: "Take a switch, port or link into use again"},
		{Method: "DELETE", Path: switchesPath + "/{dpid}", ID: "forget-switch", Handler: Typed(s.forgetSwitch),
			DryRun: RoleOperator, Summary: "Forget a switch that is gone for good",
			Description: "Its links, hosts, counters, alarms and drains go with it, over restarts too, and intents " +
				"that are being withdrawn there end. " +
				"One that is connected is refused (409). If it comes back it is a new switch: entries of ours that " +
				"nobody wants are removed from it." +
				forgotten},
		{Method: "DELETE", Path: hostsPath + "/{id}", ID: "forget-host", Handler: Typed(s.forgetHost), DryRun: RoleOperator,
			Summary: "Forget a host that is gone for good", Description: ofHost},
		{Method: "DELETE", Path: hostsPath + "/{id}/{vlan}", ID: "forget-vlan-host", Handler: Typed(s.forgetVLANHost),
			DryRun: RoleOperator, Summary: "Forget a host in a VLAN that is gone for good", Description: ofHost},
	}
}

// intentRoutes read and change intents. Those that take intents read their bodies by themselves: in
// one pass, strictly.
func (s *Server) intentRoutes() []Route {
	statuses := map[int]string{
		200: "Installed (?wait=installed); or the answers of a stream.",
		202: "Durable. Of several: each has a status of its own.",
		409: "The id has another content, or another intent has the same packets at the same place; the problem names it.",
		422: "Refused: the field, what was given, what was expected.",
		429: "Too much waits; Retry-After says when to try again. No request was accepted.",
		503: "The store cannot be written, or does not say whether it was; the problem says which.",
		507: "The store is full. No request was accepted.",
	}
	has := s.cfg.Intents != nil
	return []Route{
		{Method: "GET", Path: intentsPath, ID: "intents", Handler: provided(has, intentsDisabled, s.intents),
			Summary: "All intents, in the order of their numbers"},
		{Method: "GET", Path: intentPath, ID: "intent",
			Handler: provided(has, intentsDisabled, s.oneIntent), Summary: "One intent"},
		{Method: "GET", Path: intentPath + "/traffic", ID: "intent-traffic",
			Handler: provided(has, intentsDisabled, s.intentTraffic),
			Summary: "What an intent's rules have counted where its packets come in: the switches are asked"},
		{Method: "DELETE", Path: intentPath, ID: "withdraw-intent",
			Handler: provided(has, intentsDisabled, s.deleteIntent), AuditInStore: true,
			Status: http.StatusNoContent, Summary: "Withdraw an intent",
			Description: "Answered when it is durable. The intent vanishes when its rules are gone from the switches: " +
				"404 then, and its id is free. " +
				"Again, or of an id that is not there: 204."},
		{Method: "POST", Path: withdrawPath, ID: "withdraw-intents",
			Handler: provided(has, intentsDisabled, s.withdrawIntents), AuditInStore: true,
			Status: http.StatusAccepted, BodyBytes: s.cfg.Limits.IntentBytes, MaxItems: s.cfg.Limits.BatchItems,
			Summary:     "Withdraw several intents",
			Description: "Each has an answer of its own, in their order. Answered when they are durable."},
		{Method: "POST", Path: intentsPath, ID: "create-intents", AuditInStore: true,
			Handler: Described[createIntents, oneOrMoreAnswers](s.postIntents), BodyBytes: s.cfg.Limits.IntentBytes,
			Status: http.StatusAccepted, Statuses: statuses, Stream: s.streamIntents,
			Streams: map[string]any{ndjson: client.IntentRequest{}, intentpb.ContentType: ""},
			Summary: "Ask for intents: one, a batch, or a stream",
			Description: "One intent, or {\"items\":[…]}, in JSON; or, with Content-Type " + ndjson +
				", a stream of lines, or, with " + intentpb.ContentType +
				", of delimited IntentRequest messages (/intents.proto). A stream is answered in its own form, one " +
				"answer for each request, in their order, while requests " +
				"still come; what is refused disturbs nothing else. Requests of a stream may create, put and withdraw (op)."},
		{Method: "PUT", Path: intentPath, ID: "replace-intent", AuditInStore: true,
			Handler: Described[replaceIntent, oneAnswer](s.putIntent), Status: http.StatusAccepted, Statuses: statuses,
			Summary: "Give an intent another content, without loss; or make it"},
		{Method: "GET", Path: "/intents.proto", ID: "intents-proto", Handler: Plain(protoFile), Content: "text/plain",
			Summary: "The protobuf form of streams of requests about intents"},
	}
}

// instanceRoutes tell of this instance.
func (s *Server) instanceRoutes() []Route {
	noAudit := refuse(http.StatusNotFound, "this instance has no audit log")
	return []Route{
		{Method: "GET", Path: auditPath, ID: "audit", Handler: provided(s.cfg.Audit != nil, noAudit, s.audit), Role: RoleAdmin,
			Summary: "The newest records of the audit log, the oldest first; needs role admin"},
		{Method: "GET", Path: backupPath, ID: "backup", Handler: Plain(s.backup), Role: RoleAdmin,
			Content: "application/octet-stream", Summary: "What the store holds, as weir restore takes it; needs role admin"},
		{Method: "GET", Path: "/metrics", ID: "metrics", Handler: Plain(s.metricsHandler()), Instance: true,
			Content: "text/plain", Summary: "What the instance measures, for Prometheus"},
		{Method: "GET", Path: "/", ID: "front", Handler: Plain(s.index), Instance: true, Content: "text/html",
			Summary: "A plain page with links"},
		{Method: "GET", Path: "/readyz", ID: "readyz", Handler: Plain(probe(s.cfg.Ready)), Public: true, Instance: true,
			Content: "text/plain", Summary: "200 while the instance is fit to serve; needs no token"},
	}
}
