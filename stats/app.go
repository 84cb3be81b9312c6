package stats

import (
	"errors"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/southbound"
)

// Owner is the application's name.
const Owner = "stats"

// App is the loop's part in switches' sessions.
func (l *Loop) App() southbound.App { return app{l} }

type app struct{ *Loop }

// Name implements southbound.App.
func (app) Name() string { return Owner }

// SwitchUp implements southbound.App.
func (a app) SwitchUp(sw *southbound.Switch) southbound.Part {
	p := &part{a.Loop, Address{sw.DPID, sw.Epoch}, sw.Output(Owner, nil)}
	a.Loop.SwitchUp(p.at, sw.Version, p)
	return p
}

// part is a Conn, of one session.
type part struct {
	l   *Loop
	at  Address
	out *southbound.Output
}

// SwitchDown implements southbound.Part.
func (p *part) SwitchDown() { p.l.SwitchDown(p.at) }

// Multipart implements Conn.
func (p *part) Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error {
	return busy(p.out.Multipart(body, func(reply openflow.ReplyBody, err error) { answer(reply, refused(err)) }))
}

// MultipartParts implements Conn.
func (p *part) MultipartParts(body openflow.RequestBody, part func(v openflow.Version, body []byte) error,
	answer func(error)) error {
	return busy(p.out.MultipartParts(body, part, func(err error) { answer(refused(err)) }))
}

// refused makes ErrRefused of a switch's error.
func refused(err error) error {
	var of *session.PeerError
	if errors.As(err, &of) {
		return ErrRefused
	}
	return err
}

// busy makes ErrBusy of a queue without room.
func busy(err error) error {
	if errors.Is(err, session.ErrFull) {
		return ErrBusy
	}
	return err
}

// Queue implements Conn.
func (p *part) Queue() int { return p.out.Queue() }
