package topo

import "fmt"

// Examples of what an event may name: objects of the network, or that there are none.

// aLink is the id of a link; empty if there is none.
func (t *Topology) aLink() string {
	switch {
	case len(t.Links) > 0:
		return t.Links[0].ID
	case len(t.Hosts) > 0:
		return t.LinkID(&t.Hosts[0])
	}
	return ""
}

// aPort is a port of a switch, "s1:1", or of another if that has none; empty if no switch has any.
func (t *Topology) aPort(at int) string {
	var other End
	see := func(e End) bool {
		if other.Port == 0 || e.Switch == at {
			other = e
		}
		return e.Switch == at
	}
	for _, l := range t.Links {
		if see(l.A) || see(l.B) {
			break
		}
	}
	for i := range t.Hosts {
		if other.Port != 0 && other.Switch == at || see(t.Hosts[i].At) {
			break
		}
	}
	if other.Port == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", t.Switches[other.Switch].Name, other.Port)
}

// twoHosts are the names of two hosts, or of one twice; empty if there is none.
func (t *Topology) twoHosts() (from, to string) {
	if len(t.Hosts) == 0 {
		return "", ""
	}
	return t.Hosts[0].Name, t.Hosts[min(1, len(t.Hosts)-1)].Name
}

// exampleText ends an error: with an example, or with there being none.
func exampleText(example string) string {
	if example == "" {
		return ", which has none"
	}
	return ", such as " + example
}

// linkExample is an event of a link, or of a switch in a network without links.
func (to *targets) linkExample() string {
	if link := to.aLink(); link != "" {
		return fmt.Sprintf("`- {at: 5s, link: %s, up: false}`", link)
	}
	return to.switchExample()
}

func (to *targets) switchExample() string {
	return fmt.Sprintf("`- {at: 5s, switch: %s, down: true}`", to.Switches[0].Name)
}

func (to *targets) portExample() string {
	if port := to.aPort(0); port != "" {
		return fmt.Sprintf("`- {at: 5s, port: %q, up: false}`", port)
	}
	return to.switchExample()
}

func (to *targets) controlExample() string {
	return fmt.Sprintf("`- {at: 5s, control: %s, up: false}`", to.Switches[0].Name)
}

func (to *targets) hostExample() string {
	if a, b := to.twoHosts(); a != "" {
		return fmt.Sprintf("`- {at: 5s, host: %s, ping: %s, count: 10}`", a, b)
	}
	return to.switchExample()
}
