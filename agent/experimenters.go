package agent

import (
	"fmt"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
)

// understood is the list of experimenters whose messages a switch of a version understands, and which of them. All others
// are refused, and none goes on to another switch.
//
// The role request is a message of its own (openflow.RoleRequest) once it is read, and package session answers it.
var understood = map[openflow.Version]map[uint32]string{
	openflow.V10: {openflow.ExperimenterNicira: "NXT_ROLE_REQUEST"},
}

// notUnderstood is the error of an experimenter's message, or multipart request, that is not understood: of one of which
// others are, its type is wrong.
func notUnderstood(v openflow.Version, experimenter uint32) *flowtable.Error {
	if only, known := understood[v][experimenter]; known {
		return &flowtable.Error{Code: openflow.BadRequestBadExpType,
			Reason: fmt.Sprintf("of experimenter %#x only %s is understood", experimenter, only)}
	}
	return &flowtable.Error{Code: openflow.BadRequestBadExperimenter,
		Reason: fmt.Sprintf("experimenter %#x, of which no message is understood", experimenter)}
}
