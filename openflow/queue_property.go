package openflow

// QueuePropertyType is the type of a queue's property (enum ofp_queue_properties).
type QueuePropertyType uint16

// The properties of queues. OpenFlow 1.0 names QueueNone and QueueMinRate only.
const (
	QueueNone         QueuePropertyType = 0
	QueueMinRate      QueuePropertyType = 1
	QueueMaxRate      QueuePropertyType = 2
	QueueExperimenter QueuePropertyType = 0xffff
)

// QueueRateDisabled is the least QueueProperty.Rate that means no limit.
const QueueRateDisabled uint16 = 1001

// QueueProperty is one property of a queue.
type QueueProperty struct {
	Type QueuePropertyType
	// Rate of QueueMinRate and QueueMaxRate, in tenths of a percent of the port's rate; above 1000
	// disabled.
	Rate         uint16
	Experimenter uint32 // of QueueExperimenter
	Data         []byte // of QueueExperimenter after the id, or of a type that has no name after the header
}

// parse reads the property at the beginning of b and returns what comes after it.
func (p *QueueProperty) parse(b []byte) ([]byte, error) {
	item, rest, err := cutItem("queue property", b, 2, 8)
	if err != nil {
		return nil, err
	}
	*p = QueueProperty{Type: QueuePropertyType(be16(item))}
	switch p.Type {
	case QueueMinRate, QueueMaxRate:
		if len(item) != 16 {
			return nil, refuse(BadRequestBadLen, "queue property %d of %d bytes, not 16", p.Type, len(item))
		}
		p.Rate = be16(item[8:])
	case QueueExperimenter:
		if len(item) < 16 {
			return nil, refuse(BadRequestBadLen, "queue property of an experimenter of %d bytes, shorter than 16", len(item))
		}
		p.Experimenter, p.Data = be32(item[8:]), item[16:]
	default:
		p.Data = item[8:]
	}
	return rest, nil
}

func (p *QueueProperty) append(b []byte, _ Version) ([]byte, error) {
	start := len(b)
	b = appendPad(append16(b, uint16(p.Type)), 6)
	switch p.Type {
	case QueueMinRate, QueueMaxRate:
		b = appendPad(append16(b, p.Rate), 6)
	case QueueExperimenter:
		b = append(appendPad(append32(b, p.Experimenter), 4), p.Data...)
	default:
		b = append(b, p.Data...)
	}
	return b, setLen16(b, start, start+2)
}

func (p *QueueProperty) appendText(b []byte, _ Version) []byte {
	b = append(b, '{')
	switch p.Type {
	case QueueMinRate:
		b = appendDec(appendKey(b, ',', "min_rate"), p.Rate)
	case QueueMaxRate:
		b = appendDec(appendKey(b, ',', "max_rate"), p.Rate)
	case QueueExperimenter:
		b = appendHex(appendKey(b, ',', "experimenter"), p.Experimenter)
		b = appendHexBytes(appendKey(b, ',', "data"), p.Data)
	default:
		b = appendDec(appendKey(b, ',', "property"), p.Type)
		b = appendHexBytes(appendKey(b, ',', "data"), p.Data)
	}
	return append(b, '}')
}
