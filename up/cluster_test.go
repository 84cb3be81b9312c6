package up

import (
	"strings"
	"testing"
	"time"
)

// crewOf reads instances from a word: one of each letter, O the owner, s one that stands by, - one that does not run, and
// ? one that does not answer.
func crewOf(word string) (list []Member) {
	for i, c := range word {
		m := Member{Name: string(rune('a' + i)), Running: c != '-'}
		switch c {
		case 'O':
			m.Owner, m.State, m.Switches = true, "ready", 3
		case 's':
			m.State = "standby"
		}
		list = append(list, m)
	}
	return list
}

// TestKeys: a number kills who runs and starts who does not; k does so with the owner.
func TestKeys(t *testing.T) {
	k := newKiller(0)
	for _, x := range []struct {
		key, crew string
		want      order
		wrong     string
	}{
		{"1", "Oss", order{at: 0}, ""},
		{"3", "Oss", order{at: 2}, ""},
		{"3", "Os-", order{2, true}, ""},
		{"0", "Oss", order{}, "1 to 3"},
		{"4", "Oss", order{}, "1 to 3"},
		{"", "Oss", order{}, "1 to 3"},
		{"k", "sss", order{}, "no instance is the owner"},
		{"k", "sOs", order{at: 1}, ""},
		{"k", "s-s", order{1, true}, ""}, // the one that it killed
		{" K\n", "s?O", order{at: 2}, ""},
		{"3", "Os-", order{2, true}, ""}, // started by its number
		{"k", "Osss", order{at: 0}, ""},  // so k is for the owner again
	} {
		got, err := k.key(x.key, crewOf(x.crew))
		if (err != nil) != (x.wrong != "") || err != nil && !strings.Contains(err.Error(), x.wrong) || got != x.want {
			t.Errorf("%q with %s: %+v, %v; want %+v", x.key, x.crew, got, err, x.want)
		}
	}
}

// TestKillsByTheClock: the owner is killed at each period, and back half of it later; but only while all others stand by.
func TestKillsByTheClock(t *testing.T) {
	k := newKiller(10 * time.Second)
	begun := time.Unix(1000, 0)
	for _, x := range []struct {
		at       int // seconds
		complete bool
		crew     string
		due      bool
		want     order
	}{
		{0, false, "Oss", false, order{}},
		{20, true, "Oss", false, order{}}, // from here on it counts
		{29, true, "Oss", false, order{}},
		{30, true, "Oss", true, order{at: 0}},
		{31, true, "-ss", false, order{}},
		{34, true, "-Os", false, order{}},
		{35, true, "-Os", true, order{0, true}},
		{36, true, "?Os", false, order{}},
		{40, true, "?Os", false, order{}}, // it does not stand by yet
		{41, true, "sss", false, order{}}, // and nobody owns
		{42, true, "sOs", true, order{at: 1}},
		{47, true, "Oss", false, order{}}, // somebody has started it
		{51, true, "Oss", false, order{}},
		{52, true, "Oss", true, order{at: 0}},
	} {
		got, due := k.tick(begun.Add(time.Duration(x.at)*time.Second), x.complete, crewOf(x.crew))
		if due != x.due || due && got != x.want {
			t.Errorf("at %d s with %s: %+v, %v; want %+v, %v", x.at, x.crew, got, due, x.want, x.due)
		}
	}
	if _, due := newKiller(0).tick(begun, true, crewOf("Oss")); due {
		t.Error("killed without a period")
	}
}

func TestMembersAreShown(t *testing.T) {
	s := &State{Members: crewOf("-O?s"), Kills: 1}
	s.Members[3].Leader = true
	const want = "1 a killed; 2 b owner of 3 switches; 3 c starting; 4 d standby, leads the store"
	if !strings.Contains(s.Page(0), want) || !strings.HasSuffix(s.Line(), "; instances: "+want) {
		t.Errorf("%s\n%s", s.Page(0), s.Line())
	}
	s.Intents = IntentStats{All: 2, Sent: 1000, Lost: 1}
	if got := s.Survived(); got != "instances were killed 1 time; 0 of all pings lost, and 1 packet of 1,000 over intents" {
		t.Error(got)
	}
	if got := new(State).Survived(); got != "" {
		t.Error(got)
	}
}
