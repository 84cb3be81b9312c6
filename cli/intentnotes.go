package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/api/client"
)

// givenPoint is a connect point, or (with port 0) a switch, given by datapath id.
type givenPoint struct {
	text string // as it was given
	dpid uint64
	port uint32
}

const (
	maxNotes         = 10 // lines of notes
	maxSingleLookups = 16 // switches that are looked up one by one; for more the list is read
)

// note prints which of the points given by datapath id are unknown: an intent waits for them, and
// somebody who meant a decimal number would wait with it. It prints nothing where the instance does
// not answer, since the request fails then.
func (w *intentArgs) note(ctx context.Context, c *client.Client, errs io.Writer) {
	dpids := map[uint64]bool{}
	for _, p := range w.byDPID {
		dpids[p.dpid] = true
	}
	if len(dpids) > maxSingleLookups && !w.switchesLoaded {
		if page, err := c.Switches(ctx); err == nil {
			w.switches, w.switchesLoaded = page.Items, true
		}
	}
	noted := map[string]bool{}
	for _, p := range w.byDPID {
		text := w.noteOf(ctx, c, p)
		if text == "" || noted[text] {
			continue
		}
		if noted[text] = true; len(noted) > maxNotes {
			fmt.Fprintln(errs, "note: further ends are not known either")
			return
		}
		fmt.Fprintln(errs, "note:", text)
	}
}

// noteOf returns the note about one point; empty if it is known, or the instance did not answer.
func (w *intentArgs) noteOf(ctx context.Context, c *client.Client, p givenPoint) string {
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
	case p.port != 0 && !slices.ContainsFunc(sw.Ports, func(has client.Port) bool { return has.Number == p.port }):
		return fmt.Sprintf(
			"switch %s has no port %d: the intent waits for it (weir get ports %s lists those that there are)", id, p.port, id)
	}
	return ""
}

func (p *givenPoint) itsPort() string {
	if p.port == 0 {
		return ""
	}
	return fmt.Sprintf(", with port %d", p.port)
}

// decimal returns the switch that a point names if its datapath id is read as decimal.
func (w *intentArgs) decimal(ctx context.Context, c *client.Client, p givenPoint) (string, *client.Switch) {
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

// switchOf looks a switch up; known reports whether the instance has answered.
func (w *intentArgs) switchOf(ctx context.Context, c *client.Client, dpid uint64) (sw *client.Switch, known bool) {
	id := client.FormatDPID(dpid)
	if w.switchesLoaded {
		if i := slices.IndexFunc(w.switches, func(s client.Switch) bool { return s.DPID == id }); i >= 0 {
			sw = &w.switches[i]
		}
		return sw, true
	}
	sw, err := c.Switch(ctx, id)
	var p *client.Problem
	if errors.As(err, &p) && p.Status == http.StatusNotFound {
		return nil, true
	}
	return sw, err == nil
}
