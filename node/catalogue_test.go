package node_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

// fromSwitch are the types of messages that a switch sends.
var fromSwitch = []openflow.Type{
	openflow.TypeHello, openflow.TypeError, openflow.TypeEchoRequest, openflow.TypeEchoReply, openflow.TypeExperimenter,
	openflow.TypeFeaturesReply, openflow.TypeGetConfigReply, openflow.TypePacketIn, openflow.TypeFlowRemoved,
	openflow.TypePortStatus, openflow.TypeMultipartReply, openflow.TypeBarrierReply, openflow.TypeQueueGetConfigReply,
	openflow.TypeRoleReply, openflow.TypeGetAsyncReply,
}

// catalogue is every sample of package openflow that a switch can send, of one version. Errors are
// many and alike: few of them are taken.
func catalogue(t *testing.T, v openflow.Version) (list []need.Sample) {
	t.Helper()
	types := map[openflow.Type]int{}
	for _, s := range need.Samples(t, v.String()) {
		h, err := openflow.ParseHeader(s.Frame)
		if err != nil || !slices.Contains(fromSwitch, h.Type) || h.Type == openflow.TypeError && types[h.Type] >= 4 {
			continue
		}
		types[h.Type]++
		list = append(list, s)
	}
	for _, want := range []openflow.Type{openflow.TypePacketIn, openflow.TypePortStatus, openflow.TypeFlowRemoved,
		openflow.TypeError, openflow.TypeMultipartReply, openflow.TypeEchoRequest, openflow.TypeHello} {
		if types[want] == 0 {
			t.Fatalf("the catalogue of %s has no %s", v, want)
		}
	}
	return list
}

// setLength is a copy of a message with another length in its header, and, so that the next one
// begins where the peer thinks it does, cut or filled up with zeros to that length.
func setLength(frame []byte, length int) []byte {
	out := slices.Clone(frame)
	binary.BigEndian.PutUint16(out[2:], uint16(length))
	if length < 8 {
		return out
	}
	return append(out, make([]byte, max(0, length-len(out)))...)[:length]
}

// inner are the offsets of the fields after the header that could be a length: two bytes whose
// value fits into what follows.
func inner(frame []byte) []int {
	var at []int
	for i := 8; i+2 <= len(frame); i += 2 {
		if n := int(binary.BigEndian.Uint16(frame[i:])); n >= 4 && n <= len(frame)-8 {
			at = append(at, i)
		}
	}
	return at
}

// mutations are what keeps the framing: every truncation, every length in the header, every length
// inside, and types that do not exist.
func mutations(frame []byte) [][]byte {
	var all [][]byte
	for n := 8; n < len(frame); n++ {
		all = append(all, setLength(frame, n), setLength(frame[:n], len(frame)))
	}
	for _, n := range []int{8, len(frame) - 1, len(frame) + 1, 65535} {
		if n >= 8 {
			all = append(all, setLength(frame, n))
		}
	}
	for _, i := range inner(frame) {
		n := binary.BigEndian.Uint16(frame[i:])
		for _, other := range []uint16{0, 1, 7, 8, n - 1, n + 1, 65535} {
			m := slices.Clone(frame)
			binary.BigEndian.PutUint16(m[i:], other)
			all = append(all, m)
		}
	}
	for _, typ := range []byte{30, 99, 255} {
		m := slices.Clone(frame)
		m[1] = typ
		all = append(all, m)
	}
	return all
}
