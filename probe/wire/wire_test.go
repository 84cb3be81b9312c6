package wire

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
)

var passage = probe.Passage{Packet: probe.Packet{Src: packet.AddrFrom4([4]byte{198, 18, 0, 1}),
	Dst: packet.AddrFrom4([4]byte{198, 18, 0, 2}), Kind: probe.EchoRequest, Proto: 1, SrcPort: 7, DstPort: 7, Seq: 3,
	Digest: 1<<64 - 1}, Out: true, First: 1_795_400_000_123_456_789, Last: 1_795_400_000_123_456_999, Fragments: 2, Bytes: 1508}

var answer = Answer{Seen: &Seen{Passages: []probe.Passage{passage}, Counts: probe.Counts{Frames: 2, Foreign: 1}, Lost: 4,
	Clocks: []probe.Clocks{{Wall: 1_795_400_000_123_456_789, Monotonic: 12}}}}

// TestThereAndBack wants messages to come back as they were, to the nanosecond.
func TestThereAndBack(t *testing.T) {
	var b bytes.Buffer
	question := Question{Do: Own, VLAN: 7, MTU: 1500, Sizes: []int{56, 0}, Count: 3, Interval: time.Millisecond}
	if err := errors.Join(Write(&b, &answer), Write(&b, &question)); err != nil {
		t.Fatal(err)
	}
	var got Answer
	var asked Question
	if err := errors.Join(Read(&b, Long, &got), Read(&b, Short, &asked), got.Check(), asked.Check()); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, answer) || !reflect.DeepEqual(asked, question) {
		t.Errorf("%+v and %+v came back as %+v and %+v", answer.Seen, question, got.Seen, asked)
	}
}

// TestForm holds the form of this version: who changes it changes Version.
func TestForm(t *testing.T) {
	for want, message := range map[string]any{
		"\x00\x00\x00\x23" + `{"weir_probe":1,"nonce":"AAECAw=="}`: Hello{1, []byte{0, 1, 2, 3}},
		"\x00\x00\x00\x0e" + `{"do":"reset"}`:                      Question{Do: Reset},
		"\x00\x00\x00\x8b" + `{"seen":{"passages":[],"counts":{"Frames":0,"Foreign":0,"Merged":0,"Unfinished":0},` +
			`"lost":0,"clocks":[{"Wall":-1,"Monotonic":9223372036}]}}`: Answer{Seen: &Seen{Passages: []probe.Passage{},
			Clocks: []probe.Clocks{{Wall: -1, Monotonic: 9223372036}}}},
	} {
		var b bytes.Buffer
		if err := Write(&b, message); err != nil || b.String() != want {
			t.Errorf("%q, %v, want %q", b.String(), err, want)
		}
	}
}

// TestBadMessages are refused, and say what was given and what was expected.
func TestBadMessages(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "EOF",
		"\x00\x00\x00":                      "unexpected EOF",
		"\x00\x00\x00\x09{}":                "unexpected EOF",
		"HTTP/1.1 400 Bad Request\r\n":      "a length of 1213486160 bytes given, want 65536 at most",
		"\x00\x01\x00\x01" + "{}":           "a length of 65537 bytes given",
		"\x00\x00\x00\x02[]":                "cannot unmarshal array",
		"\x00\x00\x00\x0c" + `{"do":"x"}  `: `"x" asked for, want begin, ask, reset, take or own`,
	} {
		var q Question
		err := Read(strings.NewReader(in), Short, &q)
		if err == nil {
			err = q.Check()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
	own := Question{Do: Own, MTU: 1500, Sizes: []int{1}, Count: 1}
	for want, edit := range map[string]func(*Question){
		"an MTU of 100":      func(q *Question) { q.MTU = 100 },
		"0 sizes":            func(q *Question) { q.Sizes = nil },
		"65 sizes":           func(q *Question) { q.Sizes = make([]int, 65) },
		"size 65508":         func(q *Question) { q.Sizes = []int{65508} },
		"1001 echoes":        func(q *Question) { q.Count = 1001 },
		"an interval of -1s": func(q *Question) { q.Interval = -time.Second },
		"VLAN 4095":          func(q *Question) { q.VLAN = 4095 },
		"a limit of 11s":     func(q *Question) { q.Limit = 11 * time.Second },
	} {
		q := own
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		edit(&q)
		if err := q.Check(); err == nil || !strings.HasPrefix(err.Error(), want+" given, want ") {
			t.Errorf("%+v: %v, want %q", q, err, want)
		}
	}
	for _, edit := range []func(*probe.Passage){
		func(p *probe.Passage) { p.Kind = 200 }, func(p *probe.Passage) { p.Last = p.First - 1 },
	} {
		p := passage
		edit(&p)
		if a := (Answer{Seen: &Seen{Passages: []probe.Passage{p}}}); !errors.Is(a.Check(), ErrMessage) {
			t.Errorf("%+v is taken", p)
		}
	}
}

// TestVersions: another version is told as such, and what has none is no message of ours.
func TestVersions(t *testing.T) {
	nonce := make([]byte, NonceLen)
	for _, c := range []struct {
		hello Hello
		want  string
	}{
		{Hello{Version, nonce}, ""}, {Hello{Version + 1, nonce}, "version 2 given, want 1"},
		{Hello{0, nonce}, ErrMessage.Error()}, {Hello{Version, nonce[1:]}, "a number of 31 bytes given, want 32"},
	} {
		proof := Proof{Version: c.hello.Version, Nonce: c.hello.Nonce}
		for _, err := range []error{c.hello.Check(), proof.Check()} {
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %q", c.hello, err, c.want)
			}
		}
	}
}

// TestProofs: a proof holds for one side, one key and one connection.
func TestProofs(t *testing.T) {
	a, b := bytes.Repeat([]byte{1}, NonceLen), bytes.Repeat([]byte{2}, NonceLen)
	proof := Prove(Near, []byte("key"), a, b)
	if !Proves(proof, Near, []byte("key"), a, b) {
		t.Error("a proof does not hold")
	}
	if Proves(proof, Observer, []byte("key"), a, b) || Proves(proof, Near, nil, a, b) ||
		Proves(proof, Near, []byte("key"), a, a) || Proves(proof, Near, []byte("key"), b, b) ||
		Proves(nil, Near, []byte("key"), a, b) {
		t.Error("a proof holds for another side, key or connection")
	}
}

// TestErrors: a refusal comes as the same one, with its reason.
func TestErrors(t *testing.T) {
	r := &probe.Refusal{Why: probe.ErrTaken, Seen: "a", Want: "b", Do: "c"}
	if got := ErrorOf(r).Err(); !errors.Is(got, probe.ErrTaken) || got.Error() != r.Error() {
		t.Errorf("%v came as %v", r, got)
	}
	if got := ErrorOf(io.ErrClosedPipe).Err(); got.Error() != io.ErrClosedPipe.Error() {
		t.Errorf("came as %v", got)
	}
	if ErrorOf(nil).Err() != nil {
		t.Error("no error came as one")
	}
}

func FuzzMessages(f *testing.F) {
	for _, m := range []any{&answer, Question{Do: Take, Packets: 4, Limit: time.Second}, Hello{1, make([]byte, NonceLen)},
		Answer{Error: ErrorOf(&probe.Refusal{Why: probe.ErrTaken, Want: "b"})}} {
		var b bytes.Buffer
		if err := Write(&b, m); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var a Answer
		if Read(bytes.NewReader(in), Short, &a) == nil && a.Check() == nil {
			again(t, &a, new(Answer))
			_ = a.Error.Err()
			if a.Seen != nil {
				for _, p := range a.Seen.Passages {
					_ = p.Kind.String()
				}
			}
		}
		var q Question
		if Read(bytes.NewReader(in), Short, &q) == nil && q.Check() == nil {
			again(t, &q, new(Question))
		}
		var h Hello
		if Read(bytes.NewReader(in), Short, &h) == nil && h.Check() == nil && h.Version != Version {
			t.Errorf("%+v is taken", h)
		}
	})
}

// again wants a message that was taken to come back as it is, and to be taken again.
func again(t *testing.T, message, got interface{ Check() error }) {
	var b, c bytes.Buffer
	if err := Write(&b, message); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Read(bytes.NewReader(b.Bytes()), Long, got), got.Check(), Write(&c, got)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), c.Bytes()) {
		t.Errorf("%s came back as %s", b.Bytes(), c.Bytes())
	}
}
