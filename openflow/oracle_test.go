//go:build real

package openflow

import (
	"slices"
	"strings"
	"testing"
)

// TestOracles has three programs that others wrote decode every sample, and compares what they read
// with what Weir wrote: every field of every sample must be read with its value by at least one of
// them, and no oracle may read another value. What an oracle cannot do is listed, with the reason,
// in docs/spec/oracles.md; an exception that is not needed fails the test too.
func TestOracles(t *testing.T) {
	all := samples()
	var messages [][]byte
	for _, s := range all {
		messages = append(messages, s.bytes(t))
	}
	exempt := exceptions(t)
	read := make([]map[string]bool, len(all)) // by sample, the fields that an oracle read
	for i := range read {
		read[i] = map[string]bool{}
	}
	for _, o := range []struct {
		name    string
		ask     func(*testing.T, [][]byte) []answer
		compare func(o oracle, s sample, a answer) []string
	}{
		{"tshark", askTshark, oracle.compareLeaves}, {"osken", askOSKen, oracle.compareLeaves},
		{"ovs", askOVS, oracle.compareText},
	} {
		subject := oracle{t: t, name: o.name, keys: keysOf(t, o.name), exceptions: exempt}
		for i, a := range o.ask(t, messages) {
			for _, field := range o.compare(subject, all[i], a) {
				read[i][field] = true
			}
		}
	}
	for i, s := range all {
		for _, l := range leaves(s.v, s.m) {
			if strings.HasSuffix(l.name, ".Name") && read[i][strings.TrimSuffix(l.name, "Name")+"Field"] {
				continue // class and number were read
			}
			if !read[i][l.name] && !exempted(exempt, "any", s.name, l.name) {
				t.Errorf("%s: no oracle reads %s = %s", s.name, l.name, l.value)
			}
		}
	}
	for _, e := range exempt {
		if !e.used {
			t.Errorf("docs/spec/oracles.md: the exception %s, %s, %s is not needed", e.oracle, e.messages, e.fields)
		}
	}
}

// An oracle is one of the programs with its table.
type oracle struct {
	t          *testing.T
	name       string
	keys       map[string][]string
	exceptions []*exception
}

// refuses reports whether the oracle does not decode the message, and fails the test unless that is
// exempted. What it decodes of a message that it calls malformed counts all the same.
func (o oracle) refuses(s sample, a answer) bool {
	if a.refused != "" && !exempted(o.exceptions, o.name, s.name, "message") {
		o.t.Errorf("%s: %s refuses it: %s", s.name, o.name, a.refused)
	}
	return a.refused != "" && len(a.leaves) == 0
}

// compareLeaves wants the values of each field that the oracle has a key for, in their order, under
// that key. It returns the fields that were read right. Fields that share a key, such as the TLVs
// of matches and of actions, are compared together.
func (o oracle) compareLeaves(s sample, a answer) (read []string) {
	if o.refuses(s, a) {
		return nil
	}
	theirs := map[string][]string{}
	for _, l := range a.leaves {
		theirs[l.name] = append(theirs[l.name], l.value)
	}
	ours, names := map[string][]string{}, map[string][]string{}
	for _, l := range leaves(s.v, s.m) {
		key := o.keyOf(s.v, l.name, theirs)
		if key == "" || exempted(o.exceptions, o.name, s.name, l.name) {
			continue
		}
		ours[key] = append(ours[key], l.value)
		if !slices.Contains(names[key], l.name) {
			names[key] = append(names[key], l.name)
		}
	}
	for key, values := range ours {
		got := theirs[key]
		if strings.HasPrefix(names[key][0], "Header.") && len(got) > 1 {
			got = got[:1] // the message in an error message has a header too
		}
		if !slices.Equal(got, values) {
			o.t.Errorf("%s: %s reads %s (%s) = %v, want %v", s.name, o.name, strings.Join(names[key], ", "), key, got, values)
			continue
		}
		read = append(read, names[key]...)
	}
	return read
}

// keyOf is what the oracle calls a field: of several keys the one that the answer has.
func (o oracle) keyOf(v Version, name string, answer map[string][]string) string {
	keys := o.keys[v.String()+" "+name]
	for _, key := range keys {
		if answer[key] != nil {
			return key
		}
	}
	if len(keys) > 0 {
		return keys[0]
	}
	return ""
}

// compareText wants in the text what the oracle's table demands for each field. It returns the
// fields that were read right.
func (o oracle) compareText(s sample, a answer) (read []string) {
	if o.refuses(s, a) {
		return nil
	}
	for _, l := range leaves(s.v, s.m) {
		for _, row := range o.keys[s.v.String()+" "+l.name] {
			switch {
			case exempted(o.exceptions, o.name, s.name, l.name):
			case !prints(s.v, a.text, row, l.value):
				o.t.Errorf("%s: %s does not print %s = %s as %q:\n%s", s.name, o.name, l.name, l.value, row, a.text)
			default:
				read = append(read, l.name)
			}
		}
	}
	return read
}
