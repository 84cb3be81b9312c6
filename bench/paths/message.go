package paths

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/emu/topo"
)

// Fields and values of messages in api/client/intentpb/intents.proto, and the wire types of
// protocol buffers.
const (
	RequestOp, RequestID, requestKind, RequestSrc, RequestDst, RequestOXM = 1, 2, 3, 5, 6, 11
	AnswerStatus, answerDetail                                            = 3, 5
	OpWithdraw, kindPointToPoint, StatusAccepted                          = 2, 2, 1
	WireVarint, WireFixed64, WireBytes                                    = 0, 1, 2
)

// pointLen is how long a Point is: its datapath id, and its port.
func pointLen(e topo.End) int {
	if e.Port < 1<<7 {
		return 9 + 2
	}
	return 9 + 3 // ports of these switches are below 1<<14
}

// appendMessage appends the request for a path, with its length before it.
func (p *Path) appendMessage(b []byte, net *loadswitch.Network) []byte {
	id := strconv.Itoa(p.N)
	n := 2 + 1 + len(id) + 2 + 2 + pointLen(p.From) + 2 + pointLen(p.To) + 2 + pathSelectorLen
	b = binary.AppendUvarint(b, uint64(n))
	b = append(b, RequestID<<3|WireBytes, uint8(len(id)+1), 'p')
	b = append(b, id...)
	b = append(b, requestKind<<3|WireVarint, kindPointToPoint)
	b = appendPointMessage(append(b, RequestSrc<<3|WireBytes), net, p.From)
	b = appendPointMessage(append(b, RequestDst<<3|WireBytes), net, p.To)
	b = append(b, RequestOXM<<3|WireBytes, pathSelectorLen)
	b = append(b, 0x80, 0, 5<<1, 2, 0x08, 0x00) // eth_type
	b = append(b, 0x80, 0, 11<<1, 4)            // ipv4_src
	b = binary.BigEndian.AppendUint32(b, p.Src)
	b = append(b, 0x80, 0, 12<<1, 4) // ipv4_dst
	return binary.BigEndian.AppendUint32(b, p.Dst)
}

// pathSelectorLen is how long the OXM TLVs of a path's selector are.
const pathSelectorLen = 6 + 8 + 8

func appendPointMessage(b []byte, net *loadswitch.Network, e topo.End) []byte {
	b = append(b, uint8(pointLen(e)), 1<<3|WireFixed64)
	b = binary.LittleEndian.AppendUint64(b, net.Switches[e.Switch].DatapathID())
	return binary.AppendUvarint(append(b, 2<<3|WireVarint), uint64(e.Port))
}

// appendWithdrawal appends the request to withdraw a path, with its length before it.
func appendWithdrawal(b []byte, n int) []byte {
	id := strconv.Itoa(n)
	b = append(b, uint8(2+2+1+len(id)), RequestOp<<3|WireVarint, OpWithdraw, RequestID<<3|WireBytes, uint8(len(id)+1), 'p')
	return append(b, id...)
}

// acceptedMessages wants each of so many answers to say that its request was accepted.
func acceptedMessages(body []byte, count int) error {
	answers := 0
	for ; len(body) > 0; answers++ {
		answer, n := protowire.ConsumeBytes(body)
		if n < 0 {
			return fmt.Errorf("%w: answer %d is cut short", ErrRefused, answers)
		}
		if status, text := statusOf(answer); status != StatusAccepted {
			return fmt.Errorf("%w: answer %d has status %d: %s", ErrRefused, answers, status, text)
		}
		body = body[n:]
	}
	if answers != count {
		return fmt.Errorf("%w: %d answers to %d requests", ErrRefused, answers, count)
	}
	return nil
}

// statusOf reads the status of an answer, and the text that goes with it.
func statusOf(b []byte) (status uint64, text []byte) {
	for len(b) > 0 {
		field, kind, at := protowire.ConsumeTag(b)
		if at < 0 {
			return 0, nil
		}
		n := protowire.ConsumeFieldValue(field, kind, b[at:])
		if n < 0 {
			return 0, nil
		}
		switch {
		case field == AnswerStatus && kind == protowire.VarintType:
			status, _ = protowire.ConsumeVarint(b[at:])
		case field == answerDetail && kind == protowire.BytesType:
			text, _ = protowire.ConsumeBytes(b[at:])
		}
		b = b[at+n:]
	}
	return status, text
}
