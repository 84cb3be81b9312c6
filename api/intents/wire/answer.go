package wire

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/weirnet/weir/api/client/intentpb"
)

// Answer is an answer to one request, as it is written. The names of Status and State are those of
// intentpb.
type Answer struct {
	Index    uint64 // of the request, from 0
	Line     int    // of a refused line; 0: not said
	ID       string
	Status   uint8 // a number of intentpb.StatusNames
	State    uint8 // a number of intentpb.StateNames; 0: none
	Detail   string
	ETag     string
	Revision string
}

// AppendJSON appends the answer as client.IntentAnswer has it, without a newline.
func (a *Answer) AppendJSON(b []byte) []byte {
	b = strconv.AppendUint(append(b, `{"index":`...), a.Index, 10)
	if a.Line > 0 {
		b = strconv.AppendInt(append(b, `,"line":`...), int64(a.Line), 10)
	}
	b = appendString(b, `,"id":`, a.ID)
	b = appendString(b, `,"status":`, intentpb.StatusNames[a.Status])
	b = appendString(b, `,"state":`, intentpb.StateNames[a.State])
	b = appendString(b, `,"detail":`, a.Detail)
	b = appendString(b, `,"etag":`, a.ETag)
	b = appendString(b, `,"revision":`, a.Revision)
	return append(b, '}')
}

// appendString appends a field, unless it is empty.
func appendString(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	b = append(b, name...)
	if plain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	b, _ = jsontext.AppendQuote(b, s) // what is not UTF-8 is replaced
	return b
}

// plain reports whether a string stands in JSON as it is.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// AppendMessage appends the answer as an IntentAnswer with its length before it.
func (a *Answer) AppendMessage(b []byte) []byte {
	n := 0
	if a.Index > 0 {
		n += 1 + protowire.SizeVarint(a.Index)
	}
	for _, v := range [...]uint8{a.Status, a.State} {
		if v > 0 {
			n += 2
		}
	}
	for _, s := range [...]string{a.ID, a.Detail, a.ETag, a.Revision} {
		if s != "" {
			n += 1 + protowire.SizeBytes(len(s))
		}
	}
	b = protowire.AppendVarint(b, uint64(n))
	b = intentpb.AppendNumber(b, intentpb.AnswerIndex, a.Index)
	b = intentpb.AppendText(b, intentpb.AnswerID, a.ID)
	b = intentpb.AppendNumber(b, intentpb.AnswerStatus, uint64(a.Status))
	b = intentpb.AppendNumber(b, intentpb.AnswerState, uint64(a.State))
	b = intentpb.AppendText(b, intentpb.AnswerDetail, a.Detail)
	b = intentpb.AppendText(b, intentpb.AnswerETag, a.ETag)
	return intentpb.AppendText(b, intentpb.AnswerRevision, a.Revision)
}
