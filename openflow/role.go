package openflow

// Role is a controller's role (enum ofp_controller_role).
type Role uint32

// The roles.
const (
	RoleNoChange Role = iota
	RoleEqual
	RoleMaster
	RoleSlave
)

var roleNames = []string{"nochange", "equal", "master", "slave"}

// String is the name of the role in lower case: "master".
func (r Role) String() string { return string(nameOr(nil, roleNames, r)) }

// RoleRequest asks for a role. In OpenFlow 1.0 it is written as the Nicira role request
// (NXT_ROLE_REQUEST), which has neither RoleNoChange nor a generation: Append refuses the first and
// leaves out the second.
type RoleRequest struct {
	Role       Role
	Generation uint64
}

// RoleReply answers a RoleRequest with the role that now holds.
type RoleReply struct {
	Role       Role
	Generation uint64
}

// Type is TypeRoleRequest.
func (m *RoleRequest) Type() Type { return TypeRoleRequest }

// Parse reads role and generation.
func (m *RoleRequest) Parse(v Version, body []byte) (err error) {
	m.Role, m.Generation, err = parseRole(TypeRoleRequest, v, body)
	return err
}

// Append writes role and generation.
func (m *RoleRequest) Append(b []byte, v Version) ([]byte, error) {
	return appendRole(b, v, niciraRoleRequest, m.Role, m.Generation)
}

// AppendText prints role and generation.
func (m *RoleRequest) AppendText(b []byte, v Version) []byte {
	return appendRoleText(b, v, m.Role, m.Generation)
}

// Type is TypeRoleReply.
func (m *RoleReply) Type() Type { return TypeRoleReply }

// Parse reads role and generation.
func (m *RoleReply) Parse(v Version, body []byte) (err error) {
	m.Role, m.Generation, err = parseRole(TypeRoleReply, v, body)
	return err
}

// Append writes role and generation.
func (m *RoleReply) Append(b []byte, v Version) ([]byte, error) {
	return appendRole(b, v, niciraRoleReply, m.Role, m.Generation)
}

// AppendText prints role and generation.
func (m *RoleReply) AppendText(b []byte, v Version) []byte {
	return appendRoleText(b, v, m.Role, m.Generation)
}

// parseRole reads struct ofp_role_request: role, 4 bytes of pad, generation; or, in OpenFlow 1.0,
// the vendor, its subtype and struct nx_role_request of nicira-ext.h, whose roles (other, master,
// slave) are one less than ours.
func parseRole(t Type, v Version, body []byte) (Role, uint64, error) {
	if err := checkLen(t, v, body); err != nil {
		return 0, 0, err
	}
	if v != V10 {
		return Role(be32(body)), be64(body[8:]), nil
	}
	role := Role(be32(body[8:])) + 1
	if role == RoleNoChange {
		return 0, 0, refuse(BadRequestEPerm, "role %#x, not 0 (other), 1 (master) or 2 (slave)", be32(body[8:]))
	}
	return role, 0, nil
}

func appendRole(b []byte, v Version, subtype uint32, role Role, generation uint64) ([]byte, error) {
	if v != V10 {
		b = append32(b, uint32(role))
		return append64(appendPad(b, 4), generation), nil
	}
	if role == RoleNoChange {
		return b, inexpressible(v, "role %s", role)
	}
	b = append32(append32(b, niciraID), subtype)
	return append32(b, uint32(role-1)), nil
}

func appendRoleText(b []byte, v Version, role Role, generation uint64) []byte {
	b = nameOr(appendKey(b, ' ', "role"), roleNames, role)
	if v == V10 {
		return b
	}
	return appendHex(appendKey(b, ' ', "generation_id"), generation)
}
