package stamp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"time"
)

// Port is the UDP port of a reflector (RFC 8762, section 4.1).
const Port = 862

// Size is the least length of a request and of a reply, in bytes (RFC 8762, sections 4.2.1 and
// 4.3.1). What is longer is padding, or extensions that are ignored and sent back.
const Size = 44

// ErrShort is the error of a datagram that is no STAMP.
var ErrShort = errors.New("not a STAMP datagram")

// Accuracy is the Error Estimate: how far a clock may be off (RFC 4656, section 4.1.2, with the
// bits of RFC 8762, section 4.2.1).
type Accuracy struct {
	Synchronised bool          // by something outside, such as NTP or GPS
	PTP          bool          // the time stamp beside it is in PTP's format; Request and Reply write NTP's
	Error        time.Duration // at most; 0 is not allowed on the wire, and written as the least that is
}

// Request is what a session's sender sends.
type Request struct {
	Seq      uint32
	Sent     time.Time
	Accuracy Accuracy
	Session  uint16 // 0: none
}

// Reply is what a reflector sends back.
type Reply struct {
	Seq      uint32 // the reflector's; that of the request if it keeps no state
	Sent     time.Time
	Accuracy Accuracy
	Session  uint16 // that of the request, or 0 if the reflector does not know RFC 8972
	Received time.Time
	Request  Request // without its session
	TTL      uint8   // with which the request came
}

const (
	flagSynchronised = 1 << 15
	flagPTP          = 1 << 14
)

// AppendTo appends the request and as many bytes of zero as make it size bytes long, at least Size.
func (r *Request) AppendTo(b []byte, size int) []byte {
	from := len(b)
	b = binary.BigEndian.AppendUint32(b, r.Seq)
	b = appendTime(b, r.Sent)
	b = binary.BigEndian.AppendUint16(b, r.Accuracy.wire())
	b = binary.BigEndian.AppendUint16(b, r.Session)
	return append(b, make([]byte, max(size, Size)-(len(b)-from))...)
}

// ParseRequest reads a request.
func ParseRequest(b []byte) (r Request, err error) {
	if len(b) < Size {
		return r, fmt.Errorf("%w: %d bytes given, want a request of %d at least", ErrShort, len(b), Size)
	}
	r = parseStamped(b)
	r.Session = binary.BigEndian.Uint16(b[14:])
	return r, nil
}

// parseStamped reads what a request begins with, and a reply carries of it: a number, a time and
// its accuracy.
func parseStamped(b []byte) (r Request) {
	r.Seq = binary.BigEndian.Uint32(b)
	r.Accuracy = parseAccuracy(binary.BigEndian.Uint16(b[12:]))
	r.Sent = parseTime(b[4:], r.Accuracy.PTP)
	return r
}

// AppendTo appends the reply and as many bytes of zero as make it size bytes long, at least Size.
func (r *Reply) AppendTo(b []byte, size int) []byte {
	from := len(b)
	b = binary.BigEndian.AppendUint32(b, r.Seq)
	b = appendTime(b, r.Sent)
	b = binary.BigEndian.AppendUint16(b, r.Accuracy.wire())
	b = binary.BigEndian.AppendUint16(b, r.Session)
	b = appendTime(b, r.Received)
	b = binary.BigEndian.AppendUint32(b, r.Request.Seq)
	b = appendTime(b, r.Request.Sent)
	b = binary.BigEndian.AppendUint16(b, r.Request.Accuracy.wire())
	b = append(b, 0, 0, r.TTL)
	return append(b, make([]byte, max(size, Size)-(len(b)-from))...)
}

// ParseReply reads a reply.
func ParseReply(b []byte) (r Reply, err error) {
	if len(b) < Size {
		return r, fmt.Errorf("%w: %d bytes given, want a reply of %d at least", ErrShort, len(b), Size)
	}
	own := parseStamped(b)
	return Reply{Seq: own.Seq, Sent: own.Sent, Accuracy: own.Accuracy, Session: binary.BigEndian.Uint16(b[14:]),
		Received: parseTime(b[16:], own.Accuracy.PTP), Request: parseStamped(b[24:]), TTL: b[40]}, nil
}

// Reflect writes over a request what a reflector without state answers to it: received and sent are
// its own times. It changes nothing beyond the first Size bytes, which the request must have.
func Reflect(b []byte, received, sent time.Time, ttl uint8, own Accuracy) error {
	r, err := ParseRequest(b)
	if err != nil {
		return err
	}
	reply := Reply{Seq: r.Seq, Sent: sent, Accuracy: own, Session: r.Session, Received: received, Request: r, TTL: ttl}
	request := [14]byte(b) // as it came: its time may be in PTP's format
	reply.AppendTo(b[:0:Size], Size)
	copy(b[24:], request[:])
	return nil
}

// wire is the two bytes of an accuracy: flags, a scale and a multiplier, of which
// multiplier × 2^(scale−32) seconds is the least that is not below the error.
func (a Accuracy) wire() uint16 {
	hi, lo := bits.Mul64(uint64(min(max(a.Error, 1), longest)), 1<<32)
	units, rest := bits.Div64(hi, lo, 1_000_000_000) // of 2^-32 s
	if rest > 0 {
		units++
	}
	scale := max(bits.Len64(units)-8, 0)
	if m := (units + 1<<scale - 1) >> scale; m > 255 {
		scale++
	}
	w := uint16(scale)<<8 | uint16((units+1<<scale-1)>>scale)
	if a.Synchronised {
		w |= flagSynchronised
	}
	if a.PTP {
		w |= flagPTP
	}
	return w
}

func parseAccuracy(w uint16) Accuracy {
	scale, multiplier := int(w>>8&63), uint64(w&255)
	a := Accuracy{Synchronised: w&flagSynchronised != 0, PTP: w&flagPTP != 0, Error: longest}
	if units := multiplier << scale; bits.Len64(multiplier)+scale <= 62 {
		if seconds := units >> 32; seconds < uint64(longest/time.Second) {
			a.Error = time.Duration(seconds)*time.Second + time.Duration((units&(1<<32-1)*1_000_000_000)>>32)
		}
	}
	return a
}

// longest is the greatest error that is told apart from greater ones.
const longest = 24 * time.Hour

// secondsTo1970 are those of NTP's first era before 1970 (RFC 5905, section 6).
const secondsTo1970 = 2_208_988_800

// appendTime appends NTP's time stamp: seconds and 2^-32 of them, which last until 2036 and are taken
// for those of the next era then.
func appendTime(b []byte, t time.Time) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(t.Unix()+secondsTo1970))
	return binary.BigEndian.AppendUint32(b, uint32((uint64(t.Nanosecond())<<32+500_000_000)/1_000_000_000))
}

// parseTime reads a time stamp, to the nanosecond. NTP's eras are told apart by the first bit, as
// RFC 4330, section 3 has it: the result is of 1968 to 2104.
func parseTime(b []byte, ptp bool) time.Time {
	seconds, rest := int64(binary.BigEndian.Uint32(b)), uint64(binary.BigEndian.Uint32(b[4:]))
	if ptp {
		return time.Unix(seconds, int64(rest))
	}
	if seconds < 1<<31 {
		seconds += 1 << 32
	}
	return time.Unix(seconds-secondsTo1970, int64((rest*1_000_000_000+1<<31)>>32))
}
