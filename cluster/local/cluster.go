package local

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/weirnet/weir/api/client"
)

// The numbers of instances that a cluster may have, and how far the ports of two of them are apart where the first
// one's are given.
const (
	MaxInstances = 7
	PortStep     = 10
)

// Config says which cluster is started.
type Config struct {
	Instances int
	Program   string // the weir binary; empty: this one
	Dir       string // has a data directory and a log for each instance; made if it is not there
	// OpenFlow, API and Peer are the addresses of the first instance; the ports of each further one are PortStep higher.
	// Empty, or with port 0: ports on loopback that nobody listens at.
	OpenFlow, API, Peer string
	Args                []string // further arguments of weir node
}

// Cluster is instances that were started here, in their order.
type Cluster struct{ Instances []*Instance }

// Start starts the instances, and waits until each is a member that can be asked: the first one alone, or, where it has
// data of before, all at once, since it may need more than half of them. After an error none is left.
func Start(ctx context.Context, cfg *Config) (*Cluster, error) {
	if cfg.Instances < 1 || cfg.Instances > MaxInstances {
		return nil, fmt.Errorf("%d instances given, want 1 to %d", cfg.Instances, MaxInstances)
	}
	c := &Cluster{}
	for i := range cfg.Instances {
		one, err := cfg.instance(i)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			one.join = c.Instances[0].Peer
		}
		c.Instances = append(c.Instances, one)
	}
	if err := c.start(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	if _, err := os.Stat(c.Instances[0].Dir); err == nil {
		for _, one := range c.Instances {
			if err := one.Begin(); err != nil {
				return err
			}
		}
	}
	for _, one := range c.Instances {
		if !one.Running() {
			if err := one.Begin(); err != nil {
				return err
			}
		}
		if err := one.Await(ctx); err != nil {
			return err
		}
	}
	return nil
}

// instance is the i-th, not yet started.
func (cfg *Config) instance(i int) (*Instance, error) {
	name := string(rune('a' + i))
	one := &Instance{Name: name, Dir: filepath.Join(cfg.Dir, name), program: cfg.Program, args: cfg.Args}
	for _, p := range []struct {
		of    string
		given string
		to    *string
	}{{"OpenFlow", cfg.OpenFlow, &one.OpenFlow}, {"the API", cfg.API, &one.API}, {"peers", cfg.Peer, &one.Peer}} {
		var err error
		if *p.to, err = address(p.given, i); err != nil {
			return nil, fmt.Errorf("instance %s, address of %s: %w", name, p.of, err)
		}
	}
	return one, nil
}

// address is the i-th one's, where the first one's is given; else one with a port that nobody listens at.
func address(first string, i int) (string, error) {
	if first == "" {
		return freePort()
	}
	host, port, err := net.SplitHostPort(first)
	if err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err == nil && n == 0 {
		return freePort()
	}
	n += uint64(PortStep * i)
	if err != nil || n > 65535 {
		return "", fmt.Errorf("%s given, want HOST:PORT with a port from 1 to %d", first, 65535-PortStep*(MaxInstances-1))
	}
	return net.JoinHostPort(host, strconv.FormatUint(n, 10)), nil
}

// The ports that are drawn from: below those that Linux gives to connections (ip_local_port_range), one of which might
// otherwise have an instance's port while that is started again.
const (
	firstPort = 20000
	lastPort  = 32000
)

func freePort() (string, error) {
	var err error
	for range 100 {
		at := net.JoinHostPort("127.0.0.1", strconv.Itoa(firstPort+rand.IntN(lastPort-firstPort)))
		var ln net.Listener
		if ln, err = net.Listen("tcp", at); err == nil {
			return at, ln.Close()
		}
	}
	return "", err
}

// Living are the instances that run.
func (c *Cluster) Living() (list []*Instance) {
	for _, one := range c.Instances {
		if one.Running() {
			list = append(list, one)
		}
	}
	return list
}

// Members is what the first that can say it says of all. That of another may differ for a moment.
func (c *Cluster) Members(ctx context.Context) ([]client.Member, error) {
	err := errors.New("no instance runs")
	for _, one := range c.Living() {
		var page *client.Page[client.Member]
		if page, err = one.Client().Members(ctx); err == nil {
			return page.Items, nil
		}
	}
	return nil, err
}

// Owner is the instance that decides for the network, as it says itself; nil: none says so.
func (c *Cluster) Owner(ctx context.Context) *Instance {
	for _, one := range c.Living() {
		if m := one.Self(ctx); m != nil && m.Owner {
			return one
		}
	}
	return nil
}

// Leader is the instance that leads the store; nil: none that runs is known to.
func (c *Cluster) Leader(ctx context.Context) *Instance {
	members, err := c.Members(ctx)
	if err != nil {
		return nil
	}
	for i := range members {
		if members[i].Leader {
			return c.Named(members[i].Name)
		}
	}
	return nil
}

// Named is the instance of a name; nil: there is none.
func (c *Cluster) Named(name string) *Instance {
	for _, one := range c.Instances {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// OpenFlow are the addresses that switches connect to, in the order of the instances.
func (c *Cluster) OpenFlow() (list []string) {
	for _, one := range c.Instances {
		list = append(list, one.OpenFlow)
	}
	return list
}

// Close ends all instances, and waits. Their directories stay.
func (c *Cluster) Close() {
	for _, one := range c.Instances {
		one.Terminate()
	}
	for _, one := range c.Instances {
		one.End()
	}
}

// settled reports whether an instance's own row says that it takes part.
func settled(m *client.Member) bool {
	return m != nil && (m.State == "standby" || m.Owner && m.State == "ready")
}
