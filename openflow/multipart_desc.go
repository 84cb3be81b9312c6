package openflow

// Desc is the answer to a DescRequest. Each string but Serial has at most 256 bytes, Serial 32.
type Desc struct {
	Manufacturer string
	Hardware     string
	Software     string
	Serial       string
	Datapath     string
}

const (
	descLen   = 256 // DESC_STR_LEN
	serialLen = 32  // SERIAL_NUM_LEN
)

// Kind is MultipartDesc.
func (*Desc) Kind() MultipartType { return MultipartDesc }

func (*Desc) isReply() {}

func (d *Desc) parse(_ Version, body []byte) error {
	d.Manufacturer = fixedString(body[:descLen])
	d.Hardware = fixedString(body[descLen : 2*descLen])
	d.Software = fixedString(body[2*descLen : 3*descLen])
	d.Serial = fixedString(body[3*descLen : 3*descLen+serialLen])
	d.Datapath = fixedString(body[3*descLen+serialLen:])
	return nil
}

func (d *Desc) append(b []byte, _ Version) ([]byte, error) {
	b = appendFixed(b, d.Manufacturer, descLen)
	b = appendFixed(b, d.Hardware, descLen)
	b = appendFixed(b, d.Software, descLen)
	b = appendFixed(b, d.Serial, serialLen)
	return appendFixed(b, d.Datapath, descLen), nil
}

func (d *Desc) appendText(b []byte, _ Version) []byte {
	b = appendQuoted(appendKey(b, ' ', "mfr_desc"), d.Manufacturer)
	b = appendQuoted(appendKey(b, ' ', "hw_desc"), d.Hardware)
	b = appendQuoted(appendKey(b, ' ', "sw_desc"), d.Software)
	b = appendQuoted(appendKey(b, ' ', "serial_num"), d.Serial)
	return appendQuoted(appendKey(b, ' ', "dp_desc"), d.Datapath)
}
