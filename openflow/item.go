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
