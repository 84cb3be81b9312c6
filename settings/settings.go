package settings

import (
	"cmp"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/audit"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/strictyaml"
)

// An Error is what is wrong with a configuration. Nothing was opened.
type Error struct{ Err error }

// Error is the error itself.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap is the error itself.
func (e *Error) Unwrap() error { return e.Err }

// Settings are those of one instance.
type Settings struct {
	base   Base
	store  *config.Store
	view   *netview.View
	out    *netview.Inputs
	alarms *alarm.Board
	audit  *audit.Log
	// certificates reads those for switches again; nil without TLS.
	certificates func() error
	// changed is told what is in force after a change, by who has the turn; nil: nobody is.
	changed func(*config.Config)
	// crossings counts what still passes a place; nil where nobody knows.
	crossings func(netview.Point) Crossing

	turn    chan struct{}  // holds one token while nobody changes anything
	pending *pendingChange // a change whose outcome the store has not told; of who has the turn
	// unkept: the last change could not be kept, and an alarm says so; of who has the turn.
	unkept bool

	// mu is held, besides the turn, by who changes what follows; who reads it holds one of both.
	mu       sync.Mutex
	state    config.State
	began    *config.Config // whole: what the instance began with
	current  *config.Config // whole: flags over state.Text over defaults
	replaced string         // the configuration that was applied and that the file replaces at this start
	dirty    bool           // state is not written yet
	drained  map[config.Drain]netview.Revision
}

// Load reads what is kept. What an older version kept in files is moved into the store, if migrate.
// The error is the store's.
func Load(base Base, kept *config.Store, migrate bool) (*Settings, error) {
	s := &Settings{base: base, store: kept, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	var err error
	if s.state, err = kept.Load(); err != nil {
		return nil, err
	}
	if migrate {
		if err := kept.Migrate(s.state); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// CheckState finds what is wrong with a start in a directory that has files of an older version
// only. It changes nothing.
func CheckState(base Base, state config.State) error {
	return (&Settings{base: base, state: state}).Check()
}

// Began is the configuration that the instance begins with, whole. It is not changed.
func (s *Settings) Began() *config.Config { return s.began }

// Check reads the file of --config, lays all that is said together, and checks it. Errors of what
// was given are *Error.
func (s *Settings) Check() error {
	name := "the applied configuration"
	if s.base.File != "" {
		if err := s.adoptConfigFile(time.Now()); err != nil {
			return &Error{err}
		}
		if s.state.Source == config.FromFile {
			name = s.base.File
		}
	}
	doc, err := s.base.parse(s.state.Text)
	if err != nil {
		return &Error{strictyaml.InFile(name, err)}
	}
	s.current = s.base.whole(doc)
	s.began = s.current
	if err := s.base.Check(s.current); err != nil {
		if s.base.Check(config.Merge(s.base.defaults(), doc)) == nil { // a flag is what is wrong
			return &Error{err}
		}
		return &Error{&strictyaml.FileError{File: name, Problems: strictyaml.Problems{{Text: err.Error()}}}}
	}
	return s.base.CheckFiles(s.current)
}

// answer is how long a change waits for the store.
func (s *Settings) answer() time.Duration {
	return cmp.Or(s.began.Limits.StoreAnswer, rest.DefaultLimits.StoreAnswer)
}

// adoptConfigFile reads the file of --config at a start. If it holds something else than when it
// was read last, it is what was said last.
func (s *Settings) adoptConfigFile(now time.Time) error {
	text, err := readConfigFile(s.base.File)
	if err != nil {
		return err
	}
	sum := config.Sum(text)
	if sum == s.state.Sum {
		s.dirty = s.state.File != s.base.File
		s.state.File = s.base.File
		return nil
	}
	if s.state.Source == config.FromApply && s.state.Text != string(text) {
		s.replaced = s.state.Text
	}
	s.dirty = true
	s.state.Text, s.state.Source, s.state.By, s.state.At = string(text), config.FromFile, "--config", moment(now)
	s.state.File, s.state.Sum = s.base.File, sum
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

// Join makes them the owner of the view's settings, before any switch can connect: it keeps what the
// instance begins with, and tells the view.
func (s *Settings) Join(view *netview.View, alarms *alarm.Board, audit *audit.Log) error {
	s.view, s.out, s.alarms, s.audit = view, view.Inputs(), alarms, audit
	return s.begin()
}

// Certificates has a function read the certificates for switches again when files are read again.
func (s *Settings) Certificates(read func() error) { s.certificates = read }

// OnChange has a function told what is in force after each change that may concern it. It must not block.
func (s *Settings) OnChange(changed func(*config.Config)) { s.changed = changed }

// Crossings has a function count what still passes a place.
func (s *Settings) Crossings(count func(netview.Point) Crossing) { s.crossings = count }

// begin writes what is new, and sets the view's settings.
func (s *Settings) begin() error {
	log := s.base.Log
	if s.replaced != "" {
		kept, err := s.store.KeepReplaced(s.replaced)
		if err != nil {
			return fmt.Errorf("keeping the configuration that %s replaces: %w", s.state.File, err)
		}
		log.Warn("the configuration file has changed and replaces what was applied", "file", s.state.File, "replaced", kept)
	}
	if s.dirty {
		record := client.AuditRecord{Who: "start", What: "--config", Object: s.state.File, Result: "done",
			Detail: "configuration read"}
		if s.replaced != "" {
			record.Detail = "configuration read; it replaces one that was applied"
		}
		if err := s.audit.Write(record); err != nil {
			return err
		}
		if err := s.store.Save(s.state); err != nil {
			return err
		}
	}
	if s.state.Source != config.FromDefaults {
		log.Info("configuration", "source", s.state.Source, "by", s.state.By, "at", s.state.At, "file", s.state.File)
	}
	s.drained = make(map[config.Drain]netview.Revision)
	rev := s.set()
	for _, d := range s.state.Drains { // until they have been taken in nobody knows what passes there
		s.drained[key(d)] = rev
	}
	return nil
}

// set tells the view. s.mu is held, or nothing runs yet.
func (s *Settings) set() netview.Revision {
	return s.out.Set(s.current.Settings(s.state.Drains))
}
