package openflow

import (
	"bytes"
	"testing"
)

func FuzzFlowMod(f *testing.F) { fuzzFamily(f, TypeFlowMod, TypeFlowRemoved) }

func FuzzPacketIn(f *testing.F) { fuzzFamily(f, TypePacketIn, TypePacketOut) }

func FuzzGroupsAndMeters(f *testing.F) { fuzzFamily(f, TypeGroupMod, TypeMeterMod) }

// FuzzParse takes whole messages as they are: header, length and all.
func FuzzParse(f *testing.F) {
	for _, s := range samples() {
		f.Add(s.bytes(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkFixedPoint(t, "fuzz", b, false) })
}

// FuzzMatch reads TLVs: those that are accepted have a canonical form that is accepted, means the
// same and does not change; their text is read back as them; what OpenFlow 1.0 can say of them
// means the same there.
func FuzzMatch(f *testing.F) {
	for _, s := range fieldTexts {
		m := matchOf(f, s)
		m = m.Canonical()
		f.Add(m.OXM)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := Match{OXM: b}
		if m.Check() != nil {
			_ = m.String()
			_ = m.Key()
			return
		}
		c := m.Canonical()
		if err := c.Check(); err != nil {
			t.Fatalf("%s: canonical %s: %v", m.String(), c.String(), err)
		}
		if again := c.Canonical(); !bytes.Equal(again.OXM, c.OXM) {
			t.Fatalf("%s: canonical %s, then %s", m.String(), c.String(), again.String())
		}
		var read Match
		c.Each(func(name, value string) {
			if err := read.SetText(name, value); err != nil {
				t.Fatal(err)
			}
		})
		if !bytes.Equal(read.OXM, c.OXM) {
			t.Fatalf("%s is read as %s", c.String(), read.String())
		}
		checkMatch10(t, &c)
	})
}

// checkMatch10 writes a canonical match as OpenFlow 1.0 does, if it can.
func checkMatch10(t *testing.T, m *Match) {
	b, err := m.append(nil, V10)
	if err != nil {
		return
	}
	var back Match
	if _, err := back.parse(V10, b, new(arena)); err != nil {
		t.Fatal(err)
	}
	if back = back.Canonical(); !bytes.Equal(back.OXM, m.OXM) && !untaggedMask(m) {
		t.Fatalf("%s is %s in OpenFlow 1.0", m.String(), back.String())
	}
}

// untaggedMask reports whether the match has untagged packets by a mask, which OpenFlow 1.0 gives
// back without it.
func untaggedMask(m *Match) bool {
	value, mask, ok := m.Lookup(FieldVLANVID)
	return ok && mask != nil && be16(value) == 0 && be16(mask)&VLANPresent != 0
}

// FuzzActions reads a list of actions in each version; its text is read back as the same list.
func FuzzActions(f *testing.F) {
	for _, s := range samples() {
		if m, ok := s.m.(*PacketOut); ok {
			if b, err := appendActions(nil, s.v, m.Actions); err == nil {
				f.Add(b, s.v == V10)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, old bool) {
		v := V13
		if old {
			v = V10
		}
		list, err := parseActions(v, b, new(arena))
		if err != nil {
			return
		}
		out, err := appendActions(nil, v, list)
		if err != nil || len(out) != len(b) {
			t.Fatalf("%x came out as %x, %v", b, out, err)
		}
		read := make([]Action, len(list))
		for i := range list {
			if read[i], err = ParseAction(list[i].String()); err != nil {
				t.Fatal(err)
			}
		}
		if again, err := appendActions(nil, v, read); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%s: %x, %v, want %x", appendActionsText(nil, list), again, err, out)
		}
	})
}
