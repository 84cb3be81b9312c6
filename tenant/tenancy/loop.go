package tenancy

import (
	"context"
	"crypto/tls"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/connect"
)

// How connections are made again: after backoffFirst, and each time after twice as long, up to backoffMax, less up to a
// quarter by chance, so that not all come at once. One that has lived for backoffMax begins anew.
const (
	dialTimeout  = 5 * time.Second
	backoffFirst = 500 * time.Millisecond
	backoffMax   = 8 * time.Second
)

// controller keeps a connection of a virtual switch to a controller.
type controller struct {
	address tenant.Controller
	stop    context.CancelCauseFunc

	mu         sync.Mutex          // guards what follows
	connection *connect.Connection // nil without one
	since      time.Time           // of the connection, or of its end
	trouble    error               // why there is no connection
	again      time.Time           // of the next attempt
}

// connect has the switch be connected to controllers, and to no others.
func (v *virtual) connect(to []tenant.Controller) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for address, c := range v.controllers {
		keep := false
		for _, wanted := range to {
			keep = keep || wanted == address
		}
		if !keep {
			c.stop(errAway)
			delete(v.controllers, address)
		}
	}
	for _, address := range to {
		if v.controllers[address] == nil {
			ctx, stop := context.WithCancelCause(v.all.dialing)
			c := &controller{address: address, stop: stop, since: v.all.cfg.Now()}
			v.controllers[address] = c
			v.all.dialers.Go(func() { c.run(ctx, v) })
		}
	}
}

// connected reports whether the switch is to have connections to controllers.
func (v *virtual) connected() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.controllers) > 0
}

// run keeps the connection until the context ends.
func (c *controller) run(ctx context.Context, v *virtual) {
	wait := backoffFirst
	for ctx.Err() == nil {
		begun := v.all.cfg.Now()
		err := c.once(ctx, v)
		if v.all.cfg.Now().Sub(begun) >= backoffMax {
			wait = backoffFirst
		}
		pause := wait - rand.N(wait/4)
		c.lost(err, v.all.cfg.Now(), pause)
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
		wait = min(2*wait, backoffMax)
	}
}

// once makes a connection, and waits for its end. The error says why it has ended, or why there is none.
func (c *controller) once(ctx context.Context, v *virtual) error {
	stream, err := v.all.dial(ctx, c.address)
	if err != nil {
		return err
	}
	conn, err := v.sw.Connect(stream)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.connection, c.since = conn, v.all.cfg.Now()
	c.mu.Unlock()
	select {
	case <-ctx.Done():
		conn.Close(context.Cause(ctx))
		<-conn.Done()
	case <-conn.Done():
	}
	_, _, _, why := conn.State()
	return why
}

// lost notes that there is no connection.
func (c *controller) lost(why error, now time.Time, pause time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.connection != nil {
		c.since = now
	}
	c.connection, c.trouble, c.again = nil, why, now.Add(pause)
}

// dial connects to a controller.
func (s *Tenancies) dial(ctx context.Context, to tenant.Controller) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var d net.Dialer
	if !to.TLS {
		return d.DialContext(ctx, "tcp", to.Address)
	}
	own, err := s.cfg.TLS()
	if err != nil {
		return nil, err
	}
	conn, err := d.DialContext(ctx, "tcp", to.Address)
	if err != nil {
		return nil, err
	}
	own.ServerName, _, _ = net.SplitHostPort(to.Address) // it has been checked
	secure := tls.Client(conn, own)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secure, nil
}

// Link is what is known of a connection to a controller.
type Link struct {
	Controller tenant.Controller
	Connected  bool
	Version    openflow.Version // of one that is connected
	Role       openflow.Role    // of one that is connected
	Since      time.Time        // of being connected or not
	Trouble    error            // why it is not
	Again      time.Time        // of the next attempt, of one that is not
}

// state returns what is known of the connection.
func (c *controller) state() Link {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := Link{Controller: c.address, Since: c.since, Trouble: c.trouble, Again: c.again}
	if c.connection != nil {
		l.Version, l.Role, l.Connected, _ = c.connection.State()
	}
	return l
}
