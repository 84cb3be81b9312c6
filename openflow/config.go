package openflow

// ConfigFlags are the flags of a switch's configuration (enum ofp_config_flags), the same in both
// versions.
type ConfigFlags uint16

// How a switch handles IP fragments. The values are numbers in the bits of ConfigFragMask.
const (
	ConfigFragNormal ConfigFlags = 0
	ConfigFragDrop   ConfigFlags = 1
	ConfigFragReasm  ConfigFlags = 2
	ConfigFragMask   ConfigFlags = 3
)

// GetConfigRequest asks for the configuration.
type GetConfigRequest struct{}

// GetConfigReply tells the configuration.
type GetConfigReply struct {
	Flags ConfigFlags
	// MissSendLen is how many bytes of a packet without a match go to the controller;
	// ControllerNoCut for all.
	MissSendLen uint16
}

// SetConfig sets the configuration. There is no answer.
type SetConfig struct {
	Flags       ConfigFlags
	MissSendLen uint16
}

// Type is TypeGetConfigRequest.
func (m *GetConfigRequest) Type() Type { return TypeGetConfigRequest }

// Parse wants no body.
func (m *GetConfigRequest) Parse(v Version, body []byte) error {
	return checkLen(TypeGetConfigRequest, v, body)
}

// Append writes nothing.
func (m *GetConfigRequest) Append(b []byte, _ Version) ([]byte, error) { return b, nil }

// AppendText prints nothing.
func (m *GetConfigRequest) AppendText(b []byte, _ Version) []byte { return b }

// Type is TypeGetConfigReply.
func (m *GetConfigReply) Type() Type { return TypeGetConfigReply }

// Parse reads struct ofp_switch_config.
func (m *GetConfigReply) Parse(v Version, body []byte) error {
	if err := checkLen(TypeGetConfigReply, v, body); err != nil {
		return err
	}
	m.Flags, m.MissSendLen = ConfigFlags(be16(body)), be16(body[2:])
	return nil
}

// Append writes struct ofp_switch_config.
func (m *GetConfigReply) Append(b []byte, _ Version) ([]byte, error) {
	return append16(append16(b, uint16(m.Flags)), m.MissSendLen), nil
}

// AppendText prints the fields by their names in the specification.
func (m *GetConfigReply) AppendText(b []byte, _ Version) []byte {
	return appendConfigText(b, m.Flags, m.MissSendLen)
}

// Type is TypeSetConfig.
func (m *SetConfig) Type() Type { return TypeSetConfig }

// Parse reads struct ofp_switch_config.
func (m *SetConfig) Parse(v Version, body []byte) error {
	if err := checkLen(TypeSetConfig, v, body); err != nil {
		return err
	}
	m.Flags, m.MissSendLen = ConfigFlags(be16(body)), be16(body[2:])
	return nil
}

// Append writes struct ofp_switch_config.
func (m *SetConfig) Append(b []byte, _ Version) ([]byte, error) {
	return append16(append16(b, uint16(m.Flags)), m.MissSendLen), nil
}

// AppendText prints the fields by their names in the specification.
func (m *SetConfig) AppendText(b []byte, _ Version) []byte {
	return appendConfigText(b, m.Flags, m.MissSendLen)
}

var fragNames = []string{"frag_normal", "frag_drop", "frag_reasm", "frag_nx_match"}

func appendConfigText(b []byte, flags ConfigFlags, missSendLen uint16) []byte {
	b = append(appendKey(b, ' ', "flags"), fragNames[flags&ConfigFragMask]...)
	if rest := flags &^ ConfigFragMask; rest != 0 {
		b = appendHex(append(b, '|'), rest)
	}
	return appendDec(appendKey(b, ' ', "miss_send_len"), missSendLen)
}
