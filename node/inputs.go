package node

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/audit"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/strictyaml"
)

// inputs are what operators say of an instance: its configuration and what is drained. It is the
// owner of the view's settings and of the state in the store. Changes follow one another: who has
// the turn alone changes state, now and drained, and holds the mutex as it does; who reads them
// holds one of both. The mutex is never held while the store is waited for.
type inputs struct {
	flags Config // as given, before any file
	cfg   Config // with what the configuration says

	store  *config.Store
	view   *netview.View
	out    *netview.Inputs
	alarms *alarm.Board
	audit  *audit.Log
	// certificates reads those for switches again; nil without TLS.
	certificates func() error
	// crossings counts what still passes a place; nil where nobody knows.
	crossings func(netview.Point) crossing

	turn    chan struct{}  // holds one token while nobody changes anything
	pending *pendingChange // a change whose outcome the store has not told; of who has the turn
	// unkept: the last change could not be kept, and an alarm says so; of who has the turn.
	unkept bool

	mu       sync.Mutex
	state    config.State
	began    *config.Config // whole: what the instance began with
	current  *config.Config // whole: flags over state.Text over defaults
	replaced string         // the configuration that was applied and that the file replaces at this start
	dirty    bool           // state is not written yet
	drained  map[config.Drain]netview.Revision
}

// checkStart finds what is wrong with a start, as far as that can be said without the store. It
// makes nothing. Errors of what was given are *ConfigError.
func checkStart(cfg Config) error {
	if err := cfg.checkFields(); err != nil {
		return &ConfigError{err}
	}
	if !neverStarted(&cfg) {
		return nil
	}
	state, err := config.LoadFile(cfg.DataDir)
	if err != nil {
		return err
	}
	return (&inputs{flags: cfg, cfg: cfg, state: state}).check()
}

// readInputs reads what an instance is to begin with, and checks it. What an older version kept is
// moved into the store. Errors of what was given are *ConfigError.
func readInputs(cfg Config, kept *config.Store) (*inputs, error) {
	in := &inputs{flags: cfg, cfg: cfg, store: kept, turn: make(chan struct{}, 1)}
	in.turn <- struct{}{}
	var err error
	if in.state, err = kept.Load(); err != nil {
		return nil, err
	}
	if cfg.keepsFiles() {
		if err := kept.Migrate(in.state); err != nil {
			return nil, err
		}
	}
	return in, in.check()
}

// check reads the file of --config, lays all that is said together, and checks it.
func (in *inputs) check() error {
	cfg, name := &in.flags, "the applied configuration"
	if cfg.ConfigFile != "" {
		if err := in.adoptConfigFile(time.Now()); err != nil {
			return &ConfigError{err}
		}
		if in.state.Source == config.FromFile {
			name = cfg.ConfigFile
		}
	}
	doc, err := config.Parse([]byte(in.state.Text))
	if err != nil {
		return &ConfigError{strictyaml.InFile(name, err)}
	}
	in.current = in.whole(doc)
	in.began = in.current
	in.cfg.Config = *in.current
	if err := in.cfg.check(); err != nil && in.state.Text != "" {
		return &ConfigError{&strictyaml.FileError{File: name, Problems: strictyaml.Problems{{Text: err.Error()}}}}
	} else if err != nil {
		return &ConfigError{err}
	}
	return in.cfg.checkCertificates()
}

// adoptConfigFile reads the file of --config at a start. If it holds something else than when it
// was read last, it is what was said last.
func (in *inputs) adoptConfigFile(now time.Time) error {
	text, err := readConfigFile(in.flags.ConfigFile)
	if err != nil {
		return err
	}
	sum := config.Sum(text)
	if sum == in.state.Sum {
		in.dirty = in.state.File != in.flags.ConfigFile
		in.state.File = in.flags.ConfigFile
		return nil
	}
	if in.state.Source == config.FromApply && in.state.Text != string(text) {
		in.replaced = in.state.Text
	}
	in.dirty = true
	in.state.Text, in.state.Source, in.state.By, in.state.At = string(text), config.FromFile, "--config", moment(now)
	in.state.File, in.state.Sum = in.flags.ConfigFile, sum
	return nil
}

// readConfigFile reads a file as long as a configuration may be.
func readConfigFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > config.MaxBytes {
		return nil, fmt.Errorf("--config: %s is no file of at most %d bytes", name, config.MaxBytes)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	return text, nil
}

// whole is flags over a configuration over the defaults.
func (in *inputs) whole(doc *config.Config) *config.Config {
	return in.flags.Config.Over(config.Merge(config.Defaults(), doc), in.flags.isSet())
}

// buildInputs opens the audit log, keeps what the instance begins with, and tells the view, before
// any switch can connect.
func (n *node) buildInputs(in *inputs) (err error) {
	n.inputs = in
	in.alarms = n.alarms
	in.view, in.out = n.view, n.view.Inputs()
	n.audit, err = audit.Open(audit.Config{Dir: n.cfg.DataDir, Limits: audit.Limits{Answer: n.cfg.storeAnswer()},
		Failed: func(err error) {
			if err != nil {
				n.alarms.Raise(netview.AlarmAudit, "", err.Error())
				return
			}
			n.alarms.Clear(netview.AlarmAudit, "")
		}})
	if err != nil {
		return err
	}
	in.audit = n.audit
	if err := in.begin(); err != nil {
		return errors.Join(err, n.audit.Close())
	}
	return nil
}

// begin writes what is new, and sets the view's settings.
func (in *inputs) begin() error {
	log := in.flags.Log
	if in.replaced != "" {
		kept, err := in.store.KeepReplaced(in.replaced)
		if err != nil {
			return fmt.Errorf("keeping the configuration that %s replaces: %w", in.state.File, err)
		}
		log.Warn("the configuration file has changed and replaces what was applied", "file", in.state.File, "replaced", kept)
	}
	if in.dirty {
		record := client.AuditRecord{Who: "start", What: "--config", Object: in.state.File, Result: "done",
			Detail: "configuration read"}
		if in.replaced != "" {
			record.Detail = "configuration read; it replaces one that was applied"
		}
		if err := in.audit.Write(record); err != nil {
			return err
		}
		if err := in.store.Save(in.state); err != nil {
			return err
		}
	}
	if in.state.Source != config.FromDefaults {
		log.Info("configuration", "source", in.state.Source, "by", in.state.By, "at", in.state.At, "file", in.state.File)
	}
	in.drained = make(map[config.Drain]netview.Revision)
	rev := in.set()
	for _, d := range in.state.Drains { // until they have been taken in nobody knows what passes there
		in.drained[key(d)] = rev
	}
	return nil
}

// set tells the view. in.mu is held, or nothing runs yet.
func (in *inputs) set() netview.Revision {
	return in.out.Set(in.current.Settings(in.state.Drains))
}
