package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/weirnet/weir/api/client"
)

// place is a connect point, or (without a port) a switch, that was given by datapath id.
type place struct {
	text string // as it was given
	dpid uint64
	port uint32
}

const (
	notesShown  = 10 // places that are noted, one on a line
	askedSingly = 16 // switches that are asked for one by one; of more the whole list is read
)

// note says which of the places given by datapath id are not there: an intent waits for such a one, and somebody who meant a decimal number
// would wait with it. It says nothing where the instance does not answer: the request will.
func (w *wish) note(ctx context.Context, c *client.Client, errs io.Writer) {
	asked := map[uint64]bool{}
	for _, p := range w.places {
		asked[p.dpid] = true
	}
	if len(asked) > askedSingly && !w.switchesLoaded {
		if page, err := c.Switches(ctx); err == nil {
			w.switches, w.switchesLoaded = page.Items, true
		}
	}
	said := map[string]bool{}
	for _, p := range w.places {
		text := w.noteOf(ctx, c, p)
		if text == "" || said[text] {
			continue
		}
		if said[text] = true; len(said) > notesShown {
			fmt.Fprintln(errs, "note: and there are more such places")
			return
		}
		fmt.Fprintln(errs, "note:", text)
	}
}

// noteOf is what is to be said of one place; empty if it is there, or nobody knows.
func (w *wish) noteOf(ctx context.Context, c *client.Client, p place) string {
	id := client.FormatDPID(p.dpid)
	sw, known := w.switchOf(ctx, c, p.dpid)
	switch {
	case !known:
		return ""
	case sw == nil:
		text := fmt.Sprintf("no switch %s is known: the intent waits for it%s (%s was given: datapath ids are hexadecimal", id, p.itsPort(), p.text)
		if decimal, other := w.decimal(ctx, c, p); other != nil {
			text += fmt.Sprintf("; in decimal it would be %s, switch %s", decimal, other.Name)
		}
		return text + ")"
	case p.port != 0 && !hasPort(sw, p.port):
		return fmt.Sprintf("switch %s has no port %d: the intent waits for it (weir get ports %s lists those that there are)", id, p.port, id)
	}
	return ""
}

func (p *place) itsPort() string {
	if p.port == 0 {
		return ""
	}
	return fmt.Sprintf(", with port %d", p.port)
}

// decimal is a place read with a decimal datapath id, if there is such a switch.
func (w *wish) decimal(ctx context.Context, c *client.Client, p place) (string, *client.Switch) {
	name, _, _ := strings.Cut(p.text, "/")
	n, err := strconv.ParseUint(name, 10, 64)
	if err != nil || n == p.dpid {
		return "", nil
	}
	sw, _ := w.switchOf(ctx, c, n)
	text := strconv.FormatUint(n, 16)
	if p.port != 0 {
		text += fmt.Sprintf("/%d", p.port)
	}
	return text, sw
}

// switchOf finds a switch; known tells whether the instance has said that it is there or not.
func (w *wish) switchOf(ctx context.Context, c *client.Client, dpid uint64) (sw *client.Switch, known bool) {
	id := client.FormatDPID(dpid)
	if w.switchesLoaded {
		for i := range w.switches {
			if w.switches[i].DPID == id {
				return &w.switches[i], true
			}
		}
		return nil, true
	}
	sw, err := c.Switch(ctx, id)
	var p *client.Problem
	if errors.As(err, &p) && p.Status == http.StatusNotFound {
		return nil, true
	}
	return sw, err == nil
}

func hasPort(sw *client.Switch, port uint32) bool {
	for _, p := range sw.Ports {
		if p.Number == port {
			return true
		}
	}
	return false
}
