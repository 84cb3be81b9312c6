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
	mu      sync.Mutex
	state   config.State   // the network's part
	own     config.Part    // the instance's
	began   *config.Config // whole: what the instance began with
	current *config.Config // whole: flags over both parts over defaults
	drained map[config.Drain]netview.Revision

	start *start // until it is kept
}

// Load reads what is kept. The error is the store's, or tells what is damaged.
func Load(base Base, kept *config.Store, place Place) (*Settings, error) {
	s := &Settings{base: base, store: kept, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	had, err := kept.Load()
	if err != nil {
		return nil, err
	}
	s.start = &start{base: &s.base, kept: had, place: place}
	return s, nil
}

// CheckFiles finds what is wrong with a start, as far as that can be said without a store: with what is kept in the data
// directory. It changes nothing.
func CheckFiles(base Base, kept config.Kept) error {
	return (&Settings{base: base, start: &start{base: &base, kept: kept, place: Place{Alone: true}}}).Check()
}

// Began is the configuration that the instance begins with, whole. It is not changed.
func (s *Settings) Began() *config.Config { return s.began }

// Check reads the file of --config, lays all that is said together, and checks it. Errors of what
// was given are *Error.
func (s *Settings) Check() error {
	begin := s.start
	begin.said = said{begin.kept.State, begin.kept.Own}
	var text []byte
	if s.base.File != "" {
		var err error
		if text, err = readConfigFile(s.base.File); err != nil {
			return &Error{err}
		}
	}
	begin.divide(text)
	if text != nil {
		if err := begin.adopt(text, time.Now()); err != nil {
			return &Error{strictyaml.InFile(s.base.File, err)}
		}
	}
	s.state, s.own = begin.state, begin.own
	name := "the applied configuration"
	if s.state.Source == config.FromFile || s.state.Source == config.FromDefaults && s.own.Source == config.FromFile {
		name = cmp.Or(s.base.File, name)
	}
	doc, err := s.base.together(s.state.Text, s.own.Text)
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
	s.store.As(s.began.Name)
	for _, note := range s.start.notes {
		log.Warn(note)
	}
	if t := s.start.taken; t != nil {
		if err := s.keepReplaced(t); err != nil {
			return err
		}
		record := client.AuditRecord{Who: "start", What: "--config", Object: s.base.File, Result: "done",
			Detail: "configuration read" + t.replaces()}
		if err := s.audit.Write(record); err != nil {
			return err
		}
	}
	if err := s.store.Settle(); err != nil {
		log.Warn("the instance's configuration is not settled in its file", "error", err)
	}
	if s.start.dirty {
		if err := s.store.Save(s.state, s.own); err != nil && s.start.taken != nil {
			return err
		} else if err != nil { // it is what was kept, in another form
			log.Warn("the configuration is not kept in its new form yet", "error", err)
			s.unkept = true
			s.alarms.Raise(netview.AlarmConfig, "", err.Error())
		}
	}
	s.start = nil
	if s.state.Source != config.FromDefaults {
		log.Info("configuration of the network", "source", s.state.Source, "by", s.state.By, "at", s.state.At,
			"file", s.state.File, "reader", s.state.Reader)
	}
	if s.own.Source != config.FromDefaults {
		log.Info("configuration of the instance", "source", s.own.Source, "by", s.own.By, "at", s.own.At)
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
