package settings

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/strictyaml"
)

// reload reads the file of --config again. If it has not changed since it was read last nothing
// happens.
func (s *Settings) reload() {
	ctx, done, err := s.beginChange()
	if err != nil {
		s.base.Log.Error("the configuration file is not read again", "error", err)
		return
	}
	defer done()
	file, log := s.base.File, s.base.Log
	text, err := readConfigFile(file)
	if err == nil && config.Sum(text) == s.own.Sum {
		said := "the configuration file has not changed since it was read"
		if s.state.Source == config.FromApply {
			said += ": what was applied after it stays in force"
		}
		log.Info(said, "file", file)
		s.alarms.Clear(netview.AlarmConfig, file)
		return
	}
	record := client.AuditRecord{Who: "signal", Role: rest.RoleAdmin.String(), What: "reload", Object: file, Result: "begun"}
	if err := s.audit.Write(record); err != nil {
		log.Error("the configuration file is not read again, because the audit log cannot be written", "error", err)
		return
	}
	var made []client.ConfigChange
	var t *taken
	if err == nil {
		made, t, err = s.take(ctx, text)
	}
	if err != nil {
		var problems strictyaml.Problems
		reason := err.Error()
		if errors.As(err, &problems) {
			reason = problems.In(file)
		}
		said := "the configuration file is refused, and nothing was changed"
		if problems != nil {
			said += ": the instance would not start with it"
		}
		log.Error(said, "file", file, "reason", reason)
		s.alarms.Raise(netview.AlarmConfig, file, "refused: "+strings.ReplaceAll(reason, "\n", "; "))
		record.Result, record.Detail = "refused", strings.ReplaceAll(reason, "\n", "; ")
		s.audit.Write(record)
		return
	}
	s.alarms.Clear(netview.AlarmConfig, file)
	record.Result, record.Detail = "done", fmt.Sprintf("%d changes", len(made))+t.replaces()
	s.audit.Write(record)
	log.Info("the configuration file was read again", "file", file, "changes", len(made))
	for _, c := range made {
		log.Info("configuration", "field", c.Path, "old", c.Old, "new", c.New, "holds", c.Holds)
	}
}

// take makes a file's text the configuration. What others said before is kept beside it.
func (s *Settings) take(ctx context.Context, text []byte) (made []client.ConfigChange, t *taken, err error) {
	t, err = s.base.fromFile(said{s.state, s.own}, text, s.began.Name, true, true, time.Now())
	if err != nil {
		return nil, nil, err
	}
	t.own.Name = s.began.Name
	if err := s.keepReplaced(t); err != nil {
		return nil, nil, err
	}
	made, _, err = s.replace(ctx, t.said, rest.RoleAdmin)
	return made, t, err
}

// reloadCertificates reads the certificates of TLS for switches again; see southbound.Registry.ReloadCertificates. Bad
// ones are alarmed, and those of before stay.
func (s *Settings) reloadCertificates() {
	const object = "certificates for switches"
	if err := s.certificates(); err != nil {
		s.base.Log.Error("the certificates for switches were not read again; those of before stay", "error", err)
		s.alarms.Raise(netview.AlarmConfig, object, err.Error())
		return
	}
	s.base.Log.Info("the certificates for switches were read again")
	s.alarms.Clear(netview.AlarmConfig, object)
}
