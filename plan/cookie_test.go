package plan

import "testing"

func TestCookieBits(t *testing.T) {
	c := Cookie{Domain: 0xabc, Kind: KindIntent, Owner: 0x12345678, Version: 0x9def}
	if got, want := c.Encode(), uint64(0xabc4_1234_5678_9def); got != want {
		t.Fatalf("encoded %#x, want %#x", got, want)
	}
	if got := Decode(c.Encode()); got != c {
		t.Fatalf("decoded %+v, want %+v", got, c)
	}
}

func TestCookieOfEveryWidth(t *testing.T) {
	for _, c := range []Cookie{
		{Domain: DomainMax}, {Kind: KindMark}, {Owner: 1<<32 - 1}, {Version: 1<<16 - 1},
		{Domain: DomainMax, Kind: KindMark, Owner: 1<<32 - 1, Version: 1<<16 - 1},
	} {
		if got := Decode(c.Encode()); got != c {
			t.Errorf("%+v became %+v", c, got)
		}
	}
}

func TestCookieRefusesNeighboursBits(t *testing.T) {
	for _, c := range []Cookie{{Domain: DomainMax + 1}, {Kind: 16}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was encoded", c)
				}
			}()
			c.Encode()
		}()
	}
}

func TestMasksSelect(t *testing.T) {
	base := Cookie{Domain: 5, Kind: KindTree, Owner: 7, Version: 9}
	others := map[string]Cookie{
		"domain":  {Domain: 6, Kind: KindTree, Owner: 7, Version: 9},
		"kind":    {Domain: 5, Kind: KindPair, Owner: 7, Version: 9},
		"owner":   {Domain: 5, Kind: KindTree, Owner: 8, Version: 9},
		"version": {Domain: 5, Kind: KindTree, Owner: 7, Version: 10},
	}
	for _, m := range []struct {
		mask  uint64
		tells []string
	}{
		{DomainMask, []string{"domain"}},
		{KindMask, []string{"domain", "kind"}},
		{OwnerMask, []string{"domain", "kind", "owner"}},
		{ExactMask, []string{"domain", "kind", "owner", "version"}},
	} {
		told := 0
		for _, c := range others {
			if c.Encode()&m.mask != base.Encode()&m.mask {
				told++
			}
		}
		for _, name := range m.tells {
			if others[name].Encode()&m.mask == base.Encode()&m.mask {
				t.Errorf("mask %#x does not tell another %s", m.mask, name)
			}
		}
		if told != len(m.tells) {
			t.Errorf("mask %#x tells %d parts apart, want %d", m.mask, told, len(m.tells))
		}
	}
}

func TestForeign(t *testing.T) {
	ours := Cookie{Domain: 3, Kind: KindTree}.Encode()
	if Foreign(ours, 3) || !Foreign(ours, 4) || !Foreign(0, 3) {
		t.Fatal("foreign entries are those of another domain, or none")
	}
}
