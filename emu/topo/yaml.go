package topo

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/strictyaml"
)

// networkFile is a YAML file of a network while it is read.
type networkFile struct {
	document
	*Topology
	options  Options
	byName   map[string]int // switches
	profiles map[string]*profile.Profile
	lines    [4][]int // by part and index; of parts that a word made there are none
	made     [4]int   // how many parts a word made
	noHosts  bool     // the file has a list of hosts
	schedule *yaml.Node
}

const networkExample = "`switches: [s1, s2]` and `links: [[s1, s2]]`"

// parseYAML reads a network as YAML; the seed draws what is random in the word that it may begin
// with. The error is Problems. docs/emulator.md has all fields.
func parseYAML(b []byte, seed uint64, o Options) (*Topology, error) {
	root, err := strictyaml.Open(b, strictyaml.MaxBytes)
	if err != nil {
		return nil, err
	}
	f := &networkFile{Topology: &Topology{}, options: o, byName: map[string]int{}}
	var parts [4]*yaml.Node
	keep := func(p part) func(*yaml.Node) error { return func(n *yaml.Node) error { parts[p] = n; return nil } }
	f.Mapping(root, networkExample, []strictyaml.Field{
		strictyaml.Into("name", &f.Name, parseTitle),
		{Name: "network", Read: func(n *yaml.Node) error { return f.readWord(n, seed) }},
		{Name: "switches", Read: keep(ofSwitch)},
		{Name: "links", Read: keep(ofLink)},
		{Name: "hosts", Read: keep(ofHost)},
		{Name: "schedule", Read: func(n *yaml.Node) error { f.schedule = n; return nil }},
	})
	f.readParts(parts)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return f.finish(root)
}

// parseTitle reads the name of a network.
func parseTitle(s string) (string, error) {
	if s == "" || len(s) > MaxName || !printable(s) {
		return "", fmt.Errorf("%s given, want 1 to %d bytes of printed text, such as two sites", strictyaml.Quote(s), MaxName)
	}
	return s, nil
}

// readWord begins with a network that a word names; the file adds to it.
func (f *networkFile) readWord(n *yaml.Node, seed uint64) error {
	return strictyaml.Text(func(s string) error {
		if f.options.hosts {
			return fmt.Errorf("hosts=%d given behind the name of the file, want it behind the word, such as linear:4,hosts=%d", f.options.Hosts, f.options.Hosts)
		}
		t, err := Parse(s, seed)
		if err != nil {
			return err
		}
		name := f.Name
		*f.Topology = *t
		if name != "" {
			f.Name = name
		}
		f.made = [4]int{ofSwitch: len(t.Switches), ofLink: len(t.Links), ofHost: len(t.Hosts)}
		for i := range t.Switches {
			f.byName[t.Switches[i].Name] = i
		}
		f.noHosts = true
		return nil
	})(n)
}

// readParts reads the lists, in the order in which they name each other.
func (f *networkFile) readParts(parts [4]*yaml.Node) {
	if f.made[ofSwitch] == 0 && parts[ofSwitch] == nil && f.Found() == 0 {
		f.Add(strictyaml.Problem{Line: 1,
			Text: "no switches given, want a list of them or a network to begin with, such as " + networkExample})
		return
	}
	f.readList(parts[ofSwitch], "switches", switchExample, f.readSwitch)
	f.numberSwitches()
	f.readList(parts[ofLink], "links", linkExample, f.readLink)
	f.readList(parts[ofHost], "hosts", hostExample, f.readHost)
	if n := parts[ofHost]; n != nil && f.options.hosts {
		f.Wrong(n, fmt.Errorf("a list of hosts given, and hosts=%d behind the name of the file: want one of them",
			f.options.Hosts))
	}
	f.noHosts = f.noHosts || parts[ofHost] != nil
}

func (f *networkFile) readList(n *yaml.Node, name, example string, read func(n *yaml.Node)) {
	if n == nil {
		return
	}
	if err := f.List(n, example, read); err != nil {
		f.Wrong(n, fmt.Errorf("%s: %w", name, err))
	}
}

// finish gives ports to what has none, hosts to switches if the file says nothing of hosts, names
// to links, and checks the whole.
func (f *networkFile) finish(root *yaml.Node) (*Topology, error) {
	if n := len(f.Switches); !f.noHosts && f.options.Hosts > MaxHosts/max(n, 1) {
		return nil, strictyaml.Problems{{Line: root.Line,
			Text: fmt.Sprintf("hosts=%d at %d switches given, want at most %d hosts in all", f.options.Hosts, n, MaxHosts)}}
	}
	f.assignPorts()
	f.nameLinks()
	if err := f.Check(); err != nil {
		return nil, strictyaml.Problems{{Line: f.lineOf(err, root), Text: err.Error()}}
	}
	if f.schedule != nil {
		f.Schedule = f.readSchedule(f.schedule, f.Topology)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return f.Topology, nil
}

// lineOf is the line of what an error of Check is about.
func (f *networkFile) lineOf(err error, root *yaml.Node) int {
	var at *elementError
	if errors.As(err, &at) {
		if i := at.index - f.made[at.part]; i >= 0 && i < len(f.lines[at.part]) {
			return f.lines[at.part][i]
		}
	}
	return root.Line
}
