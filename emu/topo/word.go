package topo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/strictyaml"
)

// kind is a family of networks that a word names.
type kind struct {
	name, parameters, example string
	number                    int    // of parameters
	separator                 string // between them
	// make builds the links, after check; edges are the switches that edgehosts= speaks of, nil
	// where there is no edge.
	check func(p []int) (switches int, err error)
	make  func(b *builder, p []int, seed uint64) (edges []int)
}

// kinds are in the order in which they are listed.
func kinds() []kind {
	return []kind{
		{"single", "N", "single:1", 1, ",", upTo(MaxSwitches), single},
		{"linear", "N", "linear:4", 1, ",", upTo(MaxSwitches), linear},
		{"ring", "N", "ring:4", 1, ",", upTo(MaxSwitches), ring},
		{"tree", "DEPTH,FANOUT", "tree:3,2", 2, ",", treeSize, tree},
		{"fattree", "K", "fattree:4", 1, ",", fatTreeSize, fatTree},
		{"torus", "NxM", "torus:4x4", 2, "x", torusSize, torus},
		{"full", "N", "full:5", 1, ",", upTo(maxFull), full},
		{"wan", "N", "wan:206", 1, ",", upTo(maxMesh), mesh},
	}
}

// Forms are the words that Parse reads, for help: "linear:N", "tree:DEPTH,FANOUT", and so on.
func Forms() []string {
	var list []string
	for _, k := range kinds() {
		list = append(list, k.name+":"+k.parameters)
	}
	return list
}

// Parse reads a word: a form of Forms with its numbers, and options after it,
// "fattree:4,hosts=2,delay=1ms". The seed draws what is random: the mesh of wan:N. Without hosts=
// every switch has one host.
//
//	single:N          N switches that are not joined
//	linear:N, ring:N  a chain, a closed chain
//	tree:DEPTH,FANOUT DEPTH levels of switches, each but the last with FANOUT below it; the root is s1
//	fattree:K         K pods of K/2 aggregation and K/2 edge switches; (K/2)² core switches come first, then pod by pod
//	torus:NxM         N rows of M, each switch joined to the next in its row and column, and the last to the first
//	full:N            each joined to each
//	wan:N             a seeded wide-area mesh with about 2N links; wan:206 has 416
func Parse(word string, seed uint64) (*Topology, error) {
	t, err := parse(word, seed)
	if err != nil {
		return nil, fmt.Errorf("topology %s: %w", strictyaml.Quote(word), err)
	}
	return t, nil
}

func parse(word string, seed uint64) (*Topology, error) {
	k, numbers, words, err := split(word)
	if err != nil {
		return nil, err
	}
	p, err := k.read(numbers)
	if err != nil {
		return nil, err
	}
	n, err := k.check(p)
	if err != nil {
		return nil, err
	}
	o, err := parseOptions(words)
	if err != nil {
		return nil, err
	}
	if n > MaxHosts/max(o.Hosts, 1) {
		return nil, fmt.Errorf("hosts=%d at %d switches given, want at most %d hosts in all", o.Hosts, n, MaxHosts)
	}
	b := newBuilder(word, n, o.Link)
	edges := k.make(b, p, seed)
	switch {
	case o.EdgeHosts == 0:
		b.attach(b.all(), o.Hosts)
	case edges == nil:
		return nil, fmt.Errorf("edgehosts= given, want it with tree: or fattree: only; hosts= is at every switch")
	case len(edges) > MaxHosts/o.EdgeHosts:
		return nil, fmt.Errorf("edgehosts=%d at %d switches given, want at most %d hosts in all", o.EdgeHosts,
			len(edges), MaxHosts)
	default:
		b.attach(edges, o.EdgeHosts)
	}
	return b.finish()
}

// split takes a word apart: its kind, its numbers, and the options.
func split(word string) (k kind, numbers []string, words []string, err error) {
	name, rest, _ := strings.Cut(word, ":")
	parts := strings.Split(rest, ",")
	first := slices.IndexFunc(parts, func(p string) bool { return strings.Contains(p, "=") })
	if first < 0 {
		first = len(parts)
	}
	for _, k := range kinds() {
		if k.name == name {
			return k, strings.Split(strings.Join(parts[:first], ","), k.separator), parts[first:], nil
		}
	}
	return kind{}, nil, nil, fmt.Errorf("kind %s given, want one of %s, such as linear:4", strictyaml.Quote(name),
		strings.Join(Forms(), ", "))
}

// read reads the numbers of a kind.
func (k kind) read(numbers []string) ([]int, error) {
	p := make([]int, len(numbers))
	for i, s := range numbers {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil || len(numbers) != k.number {
			return nil, fmt.Errorf("%s given, want %s:%s in whole numbers, such as %s",
				strictyaml.Quote(strings.Join(numbers, k.separator)), k.name, k.parameters, k.example)
		}
		p[i] = int(n)
	}
	return p, nil
}

// upTo is the check of kinds whose one number is that of their switches.
func upTo(most int) func(p []int) (int, error) {
	return func(p []int) (int, error) {
		if p[0] < 1 || p[0] > most {
			return 0, fmt.Errorf("%d switches given, want from 1 to %d", p[0], most)
		}
		return p[0], nil
	}
}
