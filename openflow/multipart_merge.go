package openflow

import (
	"errors"
	"fmt"
)

// ErrParts is wrapped by the errors of Merge: the parts are no parts of one answer.
var ErrParts = errors.New("openflow: multipart parts do not belong together")

// Merge adds the items of the next part to m and takes over its flags, so that m ends without
// MultipartMore. It fails with ErrParts if m is not waiting for a part, if next is of another kind,
// or if the kind comes in one part only. The views of both stay views.
func (m *MultipartReply) Merge(next *MultipartReply) error {
	if err := mergeParts(m.Flags, m.Body, next.Body); err != nil {
		return err
	}
	m.Flags = next.Flags
	return nil
}

// Merge is Merge of MultipartReply for requests; of those, MultipartTableFeatures and
// MultipartExperimenter come in parts.
func (m *MultipartRequest) Merge(next *MultipartRequest) error {
	if err := mergeParts(m.Flags, m.Body, next.Body); err != nil {
		return err
	}
	m.Flags = next.Flags
	return nil
}

// mergeList calls merge with the next part of a list, if it is of the same kind.
func mergeList[L any](next multipartBody, merge func(*L)) bool {
	n, ok := any(next).(*L)
	if ok {
		merge(n)
	}
	return ok
}

func mergeParts(flags MultipartFlags, body, next multipartBody) error {
	if flags&MultipartMore == 0 {
		return fmt.Errorf("%w: %s after the last part", ErrParts, next.Kind())
	}
	whole, ok := body.(merger)
	if !ok {
		return fmt.Errorf("%w: %s comes in one part", ErrParts, body.Kind())
	}
	if !whole.merge(next) {
		return fmt.Errorf("%w: %s after %s", ErrParts, next.Kind(), body.Kind())
	}
	return nil
}
