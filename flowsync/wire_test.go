package flowsync

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

var (
	errFull   = errors.New("queue full")
	errClosed = errors.New("session closed")
)

// wire is a session to a model: what is sent waits in a queue until the test has the switch take
// it.
type wire struct {
	stuck string // how its session ends
	loop  *Loop
	dpid  netview.DPID
	epoch uint64
	sent  map[uint32]Refused // what was sent, by transaction id
	model *model
	queue []message
	room  int // messages the queue holds
	xid   uint32
	shut  bool
	dense bool // all parts of an answer come at once
	brief bool // what is asked of groups and meters is answered at once, and not logged
	log   func(line string)

	unlisted bool // the switch leaves questions for groups and meters open
}

// message is a message as bytes, and who waits for its answer.
type message struct {
	frame     []byte
	barrier   func(error)
	multipart func(openflow.ReplyBody, error)
	more      func(mute, shut bool) // another part of an answer
	sent      time.Time
}

// at is the session.
func (w *wire) at() Address { return Address{w.dpid, w.epoch} }

// own notes a message of a batch.
func (w *wire) own(xid uint32, batch uint64, index int) {
	if w.sent == nil {
		w.sent = make(map[uint32]Refused)
	}
	w.sent[xid] = Refused{Batch: batch, Index: index}
}

func (w *wire) Send(batch uint64, index int, messages ...openflow.Message) error {
	first := w.xid + 1
	w.xid += uint32(len(messages))
	if w.shut {
		return errClosed
	}
	if len(w.queue)+len(messages) > w.room {
		return errFull
	}
	for i, m := range messages {
		w.own(first+uint32(i), batch, index+i)
		if err := w.append(first+uint32(i), m, message{}); err != nil {
			panic("flowsync sent what cannot be said: " + err.Error())
		}
	}
	return nil
}

func (w *wire) Gather() {}
func (w *wire) Write()  {}

func (w *wire) SendFrames(batch uint64, frames []byte, count int) error {
	first := w.xid + 1
	w.xid += uint32(count)
	if w.shut {
		return errClosed
	}
	if len(w.queue)+count > w.room {
		return errFull
	}
	for i := range count {
		w.own(first+uint32(i), batch, i)
		n := int(frames[2])<<8 | int(frames[3])
		_, m, err := openflow.Parse(bytes.Clone(frames[:n]))
		if err == nil {
			err = w.append(first+uint32(i), m, message{})
		}
		if err != nil {
			panic("flowsync sent what cannot be said: " + err.Error())
		}
		frames = frames[n:]
	}
	if len(frames) > 0 {
		panic("flowsync sent more than it said")
	}
	return nil
}

func (w *wire) Barrier(answer func(error)) error {
	return w.request(&openflow.BarrierRequest{}, message{barrier: answer})
}

func (w *wire) Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error {
	switch body.(type) {
	case *openflow.GroupDescRequest, *openflow.MeterConfigRequest, *openflow.GroupFeaturesRequest, *openflow.MeterFeaturesRequest:
		if w.brief && !w.shut {
			answer(w.model.multipart(body))
			return nil
		}
	}
	return w.request(&openflow.MultipartRequest{Body: body}, message{multipart: answer})
}

func (w *wire) MultipartParts(body openflow.RequestBody, part func(openflow.Version, []byte) error, answer func(error)) error {
	return w.request(&openflow.MultipartRequest{Body: body}, message{multipart: func(reply openflow.ReplyBody, err error) {
		if err != nil {
			answer(err)
			return
		}
		w.inParts(reply.(*openflow.FlowStatsList), part, answer)
	}})
}

// partSize is how many entries a model tells at once.
const partSize = 3

// inParts hands the first part of a listing over, and has the others wait before what else is in
// the queue.
func (w *wire) inParts(list *openflow.FlowStatsList, part func(openflow.Version, []byte) error, answer func(error)) {
	some := openflow.FlowStatsList{Flows: list.Flows[:min(partSize, len(list.Flows))]}
	rest := &openflow.FlowStatsList{Flows: list.Flows[len(some.Flows):]}
	body, err := (&openflow.MultipartReply{Body: &some}).Append(nil, w.model.version)
	if err == nil {
		err = part(w.model.version, body)
	}
	if err != nil || len(rest.Flows) == 0 {
		answer(err)
		return
	}
	if w.dense {
		w.inParts(rest, part, answer)
		return
	}
	next := message{more: func(mute, shut bool) {
		switch {
		case shut:
			answer(errClosed)
		case !mute:
			w.inParts(rest, part, answer)
		}
	}}
	w.queue = append([]message{next}, w.queue...)
}

func (w *wire) request(m openflow.Message, q message) error {
	switch {
	case w.shut:
		return errClosed
	case len(w.queue) >= w.room:
		return errFull
	}
	w.xid++
	return w.append(w.xid, m, q)
}

func (w *wire) append(xid uint32, m openflow.Message, q message) (err error) {
	if q.frame, err = openflow.Append(nil, w.model.version, xid, m); err != nil {
		return err
	}
	q.sent = w.model.now()
	w.queue = append(w.queue, q)
	if w.log != nil {
		h := openflow.Header{Version: w.model.version, XID: xid}
		w.log(fmt.Sprintf("%s <- %s", w.dpid, openflow.Text(h, m)))
	}
	return nil
}

// take has the switch do the first n messages; if mute, its answers are lost.
func (w *wire) take(n int, mute bool) {
	for ; n > 0 && len(w.queue) > 0; n-- {
		q := w.queue[0]
		w.queue = w.queue[1:]
		w.one(q, mute)
	}
}

func (w *wire) one(q message, mute bool) {
	if q.more != nil {
		q.more(mute, false)
		return
	}
	h, m, err := openflow.Parse(q.frame)
	if err != nil {
		panic("flowsync sent what a switch refuses: " + err.Error())
	}
	switch {
	case q.barrier != nil && !mute:
		q.barrier(nil)
	case q.multipart != nil && !mute:
		request := m.(*openflow.MultipartRequest).Body
		if w.unlisted && request.Kind() >= openflow.MultipartGroup && request.Kind() <= openflow.MultipartMeterFeatures {
			return
		}
		body, err := w.model.multipart(request)
		if _, monitor := request.(*openflow.FlowMonitorRequest); monitor && err == nil {
			w.model.monitor.tell = w.tell
		}
		q.multipart(body, err)
	case q.barrier == nil && q.multipart == nil:
		w.model.sent = q.sent
		w.modify(h, m, mute)
	}
}

func (w *wire) modify(h openflow.Header, m openflow.Message, mute bool) {
	if mute {
		w.model.monitor.tell = nil
	}
	w.model.monitor.own = h.XID
	code, gone := w.model.take(m)
	w.model.monitor.own = 0
	if mute {
		w.model.gone = nil
		return
	}
	if code != 0 {
		if w.log != nil {
			w.log(fmt.Sprintf("%s -> error %s xid=%#x", w.dpid, code, h.XID))
		}
		w.refuse(h.XID, code)
	}
	if gone != nil {
		w.removed(gone)
	}
	for _, e := range w.model.gone {
		w.removed(e)
	}
	w.model.gone = nil
}

// refuse tells of an error, with whose message it is.
func (w *wire) refuse(xid uint32, code openflow.ErrorCode) {
	if of, ok := w.sent[xid]; ok {
		w.loop.Refused(w.at(), of.Batch, of.Index, &openflow.ErrorMsg{Code: code, Data: []byte("scratch")})
	}
}

// removed tells of an entry that went, as a session's reader does: through bytes.
func (w *wire) removed(gone *openflow.FlowRemoved) {
	frame, err := openflow.Append(nil, w.model.version, 0, gone)
	if err != nil {
		panic(err)
	}
	if !w.loop.RemovedFrame(w.at(), w.model.version, frame) {
		w.loop.Removed(w.at(), gone)
	}
}

// cut ends the session. The switch has done the first n messages of the queue, but their answers
// are lost.
func (w *wire) cut(n int) {
	w.shut = true
	rest := w.queue
	w.take(n, true)
	for _, q := range rest {
		if q.barrier != nil {
			q.barrier(errClosed)
		}
		if q.multipart != nil {
			q.multipart(nil, errClosed)
		}
		if q.more != nil {
			q.more(false, true)
		}
	}
	w.queue = nil
	w.model.monitor = flowMonitor{offered: w.model.monitor.offered}
	w.loop.SwitchDown(w.at(), w.stuck)
}

// readAll splits a listing of one message by owner.
func (c *Config) readAll(stats []openflow.FlowStats, single bool) (r Reading) {
	for i := range stats {
		c.classify(&r, &stats[i])
	}
	return r
}
