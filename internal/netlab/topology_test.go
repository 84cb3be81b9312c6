package netlab

import "testing"

func TestTopologies(t *testing.T) {
	for _, c := range []struct {
		text                   string
		switches, links, hosts int
	}{
		{"linear:1", 1, 0, 1},
		{"linear:4", 4, 3, 4},
		{"ring:5,hosts=2", 5, 5, 10},
		{"tree:3,2", 7, 6, 4},
		{"tree:2,3,hosts=2", 4, 3, 6},
		{"torus:3x4", 12, 24, 12},
		{"torus:2x2", 4, 4, 4},
		{"full:5", 5, 10, 5},
	} {
		got, err := Parse(c.text)
		if err != nil || got.Switches != c.switches || len(got.Links) != c.links || len(got.Hosts) != c.hosts {
			t.Errorf("%s: %d switches, %d links, %d hosts, %v; want %d, %d, %d",
				c.text, got.Switches, len(got.Links), len(got.Hosts), err, c.switches, c.links, c.hosts)
		}
	}
	for _, bad := range []string{"", "ring", "ring:", "ring:3x3", "torus:3", "tree:2", "star:4", "ring:4,hosts=", "full:-1"} {
		if got, err := Parse(bad); err == nil {
			t.Errorf("%q is accepted as %+v", bad, got)
		}
	}
}
