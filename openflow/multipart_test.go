package openflow

import (
	"errors"
	"testing"
)

// TestMerge joins the parts of answers: every kind that is a list comes out as if it had come in
// one part.
func TestMerge(t *testing.T) {
	lists := 0
	for _, s := range samples() {
		whole, ok := s.m.(*MultipartReply)
		if !ok {
			continue
		}
		_, list := whole.Body.(merger)
		first, second := parseReply(t, s), parseReply(t, s)
		first.Flags, second.Flags = MultipartMore, 0
		err := first.Merge(second)
		if !list {
			if !errors.Is(err, ErrParts) {
				t.Errorf("%s: merged: %v", s.name, err)
			}
			continue
		}
		lists++
		if err != nil || first.Flags != 0 {
			t.Fatalf("%s: %v", s.name, err)
		}
		double := s.bytes(t)
		body := double[HeaderLen+multipartHeaderLen(s.v):]
		if _, updates := whole.Body.(*FlowUpdateList); updates {
			body = body[monitorHeaderLen(s.v):]
		} else if whole.Body.Kind() == MultipartExperimenter {
			body = body[len(body)-5:] // the ids stand once
		}
		double = append(double, body...)
		got, err := Append(nil, s.v, sampleXID, first)
		if err != nil || len(got) != len(double) {
			t.Fatalf("%s: %v: %d bytes, want %d", s.name, err, len(got), len(double))
		}
		skip := HeaderLen + multipartHeaderLen(s.v)
		if string(got[skip:]) != string(double[skip:]) {
			t.Errorf("%s:\ngot  %x\nwant %x", s.name, got, double)
		}
	}
	if lists < 20 {
		t.Errorf("%d lists merged", lists)
	}
}

func parseReply(t *testing.T, s sample) *MultipartReply {
	t.Helper()
	_, m, err := Parse(s.bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	return m.(*MultipartReply)
}

func TestMergeRefuses(t *testing.T) {
	part := func(body ReplyBody) *MultipartReply { return &MultipartReply{Flags: MultipartMore, Body: body} }
	last := &MultipartReply{Body: &PortDescList{}}
	for _, c := range []struct {
		what        string
		first, next *MultipartReply
	}{
		{"after the last part", last, part(&PortDescList{})},
		{"another kind", part(&PortDescList{}), part(&FlowStatsList{})},
		{"another experimenter", part(&MultipartExperimenterBody{Experimenter: 1}),
			part(&MultipartExperimenterBody{Experimenter: 2})},
		{"one part only", part(&Desc{}), part(&Desc{})},
	} {
		if err := c.first.Merge(c.next); !errors.Is(err, ErrParts) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	first := &MultipartRequest{Flags: MultipartMore, Body: &TableFeaturesList{Tables: make([]TableFeatures, 1)}}
	if err := first.Merge(&MultipartRequest{Body: &TableFeaturesList{Tables: make([]TableFeatures, 2)}}); err != nil {
		t.Error(err)
	}
	if n := len(first.Body.(*TableFeaturesList).Tables); n != 3 {
		t.Errorf("%d tables, want 3", n)
	}
}
