package openflow

// cutItem cuts off the first item of an array: one whose length in bytes stands in its 16 bits from
// at on, which is at least least (more than at+2). what names the item in the refusal.
func cutItem(what string, b []byte, at, least int) (item, rest []byte, err error) {
	if len(b) < least {
		return nil, nil, refuse(BadRequestBadLen, "%d bytes left, too few for a %s of at least %d", len(b), what, least)
	}
	n := int(be16(b[at:]))
	if n < least || n > len(b) {
		return nil, nil, refuse(BadRequestBadLen, "%s of %d bytes, not between %d and the %d left", what, n, least, len(b))
	}
	return b[:n:n], b[n:], nil
}

// parsePortNumber reads a port's number: 16 bits in OpenFlow 1.0, 32 in 1.3.
func parsePortNumber(v Version, b []byte) uint32 {
	if v == V10 {
		return portFrom10(be16(b))
	}
	return be32(b)
}

// appendPortNumber writes a port's number, which in OpenFlow 1.0 has 16 bits.
func appendPortNumber(b []byte, v Version, port uint32) ([]byte, error) {
	if v != V10 {
		return append32(b, port), nil
	}
	p, err := portTo10(port)
	return append16(b, p), err
}

// appendTable appends the number of a flow table, or "all".
func appendTable(b []byte, table uint8) []byte {
	if table == TableAll {
		return append(b, "all"...)
	}
	return appendDec(b, table)
}

// appendQueue appends the number of a queue, or "all".
func appendQueue(b []byte, queue uint32) []byte {
	if queue == QueueAll {
		return append(b, "all"...)
	}
	return appendDec(b, queue)
}

// parseItems appends the items that fill b to items. The 16 bits of each from at on are its length,
// at least least; parse reads one that fills its slice.
func parseItems[T any](items []T, what string, b []byte, at, least int, parse func(*T, []byte) error) ([]T, error) {
	for len(b) > 0 {
		item, rest, err := cutItem(what, b, at, least)
		if err != nil {
			return items, err
		}
		items = append(items, *new(T))
		if err := parse(&items[len(items)-1], item); err != nil {
			return items, err
		}
		b = rest
	}
	return items, nil
}

// appendEach appends items one after the other.
func appendEach[T any](b []byte, v Version, items []T, write func(*T, []byte, Version) ([]byte, error)) ([]byte, error) {
	var err error
	for i := range items {
		if b, err = write(&items[i], b, v); err != nil {
			return b, err
		}
	}
	return b, nil
}

// appendItems appends items that write leaves without a length, and sets it: the 16 bits of each
// from at on.
func appendItems[T any](b []byte, v Version, items []T, at int, write func(*T, []byte, Version) ([]byte, error)) ([]byte, error) {
	return appendEach(b, v, items, func(item *T, b []byte, v Version) ([]byte, error) {
		start := len(b)
		b, err := write(item, b, v)
		if err == nil {
			err = setLen16(b, start, start+at)
		}
		return b, err
	})
}

// appendListText appends items as text: [item,item].
func appendListText[T any](b []byte, v Version, items []T, text func(*T, []byte, Version) []byte) []byte {
	b = append(b, '[')
	for i := range items {
		b = text(&items[i], appendSep(b), v)
	}
	return append(b, ']')
}
