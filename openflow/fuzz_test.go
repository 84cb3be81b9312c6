package openflow

import (
	"encoding/binary"
	"slices"
	"testing"
)

// fuzzFamily fuzzes messages of some types: whatever parses is written again to a fixed point. The
// length in the header is made right, so that the input reaches the body.
func fuzzFamily(f *testing.F, types ...Type) {
	for _, s := range samples() {
		if slices.Contains(types, s.m.Type()) {
			f.Add(s.bytes(f))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= HeaderLen && len(b) <= longest {
			binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
		}
		checkFixedPoint(t, "fuzz", b, false)
	})
}

func FuzzHello(f *testing.F) { fuzzFamily(f, TypeHello) }

func FuzzErrorMsg(f *testing.F) { fuzzFamily(f, TypeError) }

func FuzzPorts(f *testing.F) { fuzzFamily(f, TypePortStatus, TypePortMod, TypeFeaturesReply) }

func FuzzQueues(f *testing.F) { fuzzFamily(f, TypeQueueGetConfigRequest, TypeQueueGetConfigReply) }

func FuzzMultipart(f *testing.F) { fuzzFamily(f, TypeMultipartRequest, TypeMultipartReply) }

func FuzzOthers(f *testing.F) {
	fuzzFamily(f, TypeEchoRequest, TypeEchoReply, TypeExperimenter, TypeFeaturesRequest, TypeGetConfigRequest,
		TypeGetConfigReply, TypeSetConfig, TypeTableMod, TypeBarrierRequest, TypeBarrierReply, TypeRoleRequest,
		TypeRoleReply, TypeGetAsyncRequest, TypeGetAsyncReply, TypeSetAsync)
}
