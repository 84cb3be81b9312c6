package settings

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/config"
)

// Place is where an instance starts.
type Place struct {
	Alone bool // nobody else uses its store
	// Owner is who owned the store last with a program that kept both parts in one text there; empty: nobody,
	// or that is not known.
	Owner string
	Used  bool // an instance has run in the data directory before
}

// start is what a start finds, and makes of it.
type start struct {
	base  *Base
	place Place
	kept  config.Kept
	said         // what is in force then
	taken *taken // of the file of --config; nil: it has not changed
	dirty bool   // what is in force is not kept yet
	notes []string
}

// Early is what holds of an instance's part before its store is open, whole.
func Early(base Base, kept config.Kept) *config.Config {
	s := start{base: &base, place: Place{Alone: true}, kept: kept, said: said{own: kept.Own}}
	if base.File != "" {
		if text, err := readConfigFile(base.File); err == nil {
			_ = s.adopt(text, time.Time{}) // what is wrong is told by Check
		}
	}
	doc, err := base.parse(s.own.Text)
	if err != nil {
		doc = &config.Config{}
	}
	return base.whole(doc)
}

// divide makes two parts of a state that an earlier version kept in one, and takes the instance's if it is this one's: if
// nobody else uses the store, or if this instance has the name of who owned it last. Then, too, it takes one that
// another instance has left for it. file is what --config says now; nil: no file.
//
// An instance that nobody has given a name, in a directory where none has run, takes nothing: its name is everybody's.
func (s *start) divide(file []byte) {
	state, kept := &s.state, &s.kept
	var part config.Part
	owner := s.place.Owner
	switch {
	case state.Unsplit:
		part = s.parts()
	case state.Unclaimed != nil:
		part, owner = state.Unclaimed.Part, state.Unclaimed.Owner
	default:
		return
	}
	name, given := s.nameGiven(file)
	if !given {
		name = s.base.nameIn(part.Text)
	}
	mine := s.place.Alone || kept.OfDir || owner != "" && owner == name && (given || s.place.Used)
	if !mine {
		s.leave(part, owner)
		return
	}
	s.dirty = true
	state.Unclaimed = nil
	if kept.HasOwn {
		if part.Text != "" && part.Text != s.own.Text {
			s.notes = append(s.notes, "what an earlier version had kept of this instance is dropped: the data directory has "+
				"it anew")
		}
		return
	}
	s.own = part
	s.own.Name = name
	if state.Source == config.FromFile && state.Reader == "" {
		state.Reader = name
	}
}

// parts splits the state, and returns the instance's part.
func (s *start) parts() (part config.Part) {
	state := &s.state
	part = config.Part{Source: state.Source, File: state.File, Sum: state.Sum, By: state.By, At: state.At}
	network, instance, err := s.base.split(state.Text)
	if err != nil { // it is refused, unless the file of --config replaces it
		network, instance = state.Text, ""
	}
	if part.Text = instance; instance == "" {
		part.Source, part.By, part.At = config.FromDefaults, "", time.Time{}
	}
	if state.Text = network; network == "" && instance != "" {
		state.Source, state.By, state.At = config.FromDefaults, "", time.Time{}
	}
	if state.Source != config.FromFile {
		state.File = ""
	}
	state.Unsplit, state.Sum, s.dirty = false, "", true
	return part
}

// leave has the instance's part stay in the store until its instance takes it.
func (s *start) leave(part config.Part, owner string) {
	if part.Text == "" && part.Sum == "" {
		return
	}
	s.state.Unclaimed = &config.Unclaimed{Part: part, Owner: owner}
	who := "an instance whose name is not known"
	if owner != "" {
		who = "instance " + owner
	}
	s.notes = append(s.notes, fmt.Sprintf("the store has what an earlier version kept of %s (name, addresses, TLS files): "+
		"this instance does not take it; it stays there until %s starts, with its data directory or --name", who, who))
}

// nameGiven is the name that flags, the file of --config or the instance's own part give it. It is false if none does.
func (s *start) nameGiven(file []byte) (string, bool) {
	if name := s.base.Flags.Name; s.base.isSet()("name") {
		return name, true
	}
	for _, text := range []string{string(file), s.own.Text} {
		if c, err := s.base.parse(text); err == nil && c.Name != "" {
			return c.Name, true
		}
	}
	return s.own.Name, s.own.Name != ""
}

// nameIn is the name of an instance with a text.
func (b *Base) nameIn(text string) string {
	c, err := b.parse(text)
	if err != nil {
		c = &config.Config{}
	}
	return b.whole(c).Name
}

// taken is what a file of --config makes of a configuration.
type taken struct {
	said
	gone  string   // what it replaces, and did not say itself before
	whose []string // who said that
}

// replaces tells what the file replaces; empty: nothing but itself.
func (t *taken) replaces() string {
	said := ""
	for i, who := range t.whose {
		said += [...]string{"; it replaces ", " and "}[min(i, 1)] + who
	}
	return said
}

// fromFile is what the text of the file of --config makes of a configuration, read by an instance of a name. It replaces the
// instance's part, if that is to be read. Of the network it replaces what was said if it says something of the network,
// or if it was this file that said it.
func (b *Base) fromFile(was said, text []byte, name string, ownToo, networkToo bool, now time.Time) (*taken, error) {
	network, instance, err := b.split(string(text))
	if err != nil {
		return nil, err
	}
	t := &taken{said: was}
	own, state := &t.own, &t.state
	gone := [2]string{} // network's, instance's
	if ownToo {
		if was.own.Source == config.FromApply && was.own.Text != instance {
			gone[1] = was.own.Text
			t.whose = append(t.whose, "what "+was.own.By+" applied of the instance")
		}
		*own = config.Part{Text: instance, Name: was.own.Name}
		if instance != "" {
			own.Source, own.By, own.At = config.FromFile, "--config", moment(now)
		}
	}
	own.File, own.Sum = b.File, config.Sum(text)
	self := was.state.Source == config.FromFile && was.state.Reader == name
	ofNetwork, err := b.parse(network)
	if err != nil {
		return nil, err
	}
	if networkToo && (!ofNetwork.SaysNothing() || self) {
		if !self && was.state.Source != config.FromDefaults && was.state.Text != network {
			gone[0] = was.state.Text
			who := "what " + was.state.By + " applied of the network"
			if was.state.Source == config.FromFile {
				who = fmt.Sprintf("what the file %s of instance %s says of the network", was.state.File, was.state.Reader)
			}
			t.whose = append(t.whose, who)
		}
		state.Text, state.Source, state.By, state.At = network, config.FromFile, "--config", moment(now)
		state.File, state.Reader = b.File, name
	}
	t.gone = config.Join(gone[0], gone[1], b.Apps...)
	return t, nil
}

// adopt reads the file of --config at a start. What it says of the instance holds if the instance has not read the
// same before; what it says of the network, if it is not what this instance said to this store last. An instance that comes to a
// store of others, which it has not said anything to, leaves their network as it is.
func (s *start) adopt(text []byte, now time.Time) error {
	sum := config.Sum(text)
	before := s.own.Name
	ownToo := sum != s.own.Sum
	was := s.said
	t, err := s.base.fromFile(was, text, "", ownToo, false, now)
	if err != nil {
		if !ownToo { // it was accepted once: what is wrong is said of what is kept
			return nil
		}
		return err
	}
	name := s.base.nameIn(t.own.Text)
	read, known := s.kept.Read(name)
	if !known && before != "" {
		read, known = s.kept.Read(before)
	}
	if !known && s.own.Sum != "" && !s.kept.HasOwn { // just taken out of a state of an earlier version
		read, known = s.own.Sum, true
	}
	networkToo := read != sum || !known
	if networkToo && !known && !s.place.Alone && s.state.Source != config.FromDefaults {
		networkToo = false
		s.notes = append(s.notes, s.keptNetwork(text)...)
	}
	if was.state.Reader == before && before != "" && was.state.Source == config.FromFile {
		was.state.Reader = name // it has got another name
	}
	if t, err = s.base.fromFile(was, text, name, ownToo, networkToo, now); err != nil {
		return err
	}
	t.own.Name = name
	if ownToo || networkToo {
		s.taken = t
	}
	s.dirty = s.dirty || ownToo || networkToo || !known || t.own != s.own
	s.said = t.said
	return nil
}

// keptNetwork says in what the file differs from the network's part, which stays.
func (s *start) keptNetwork(text []byte) []string {
	network, _, err := s.base.split(string(text))
	if err != nil || network == "" {
		return nil
	}
	is := s.said
	is.state.Text = network
	_, diff, err := s.base.differ(s.said, is)
	if err != nil || len(diff) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the network is configured by others: %s differs from that in %d fields (%s first), which stay as "+
		"they are until the file changes; weir diff lists them, weir apply applies them", s.base.File, len(diff), diff[0].Path)}
}

// keepReplaced keeps what a file replaces, and says so.
func (s *Settings) keepReplaced(t *taken) error {
	if len(t.whose) == 0 {
		return nil
	}
	path, err := s.store.KeepReplaced(t.gone)
	if err != nil {
		return fmt.Errorf("keeping the configuration that %s replaces: %w", s.base.File, err)
	}
	s.base.Log.Warn("the configuration file has changed"+t.replaces(), "file", s.base.File, "replaced", path)
	return nil
}
