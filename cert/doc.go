// Package cert issues the certificates with which switches and instances authenticate each other: a
// private authority, kept in a directory, and what it signs.
//
// # The problem
//
// A switch claims its datapath id itself, and any machine that reaches the controller's port can
// claim the same. With mutual TLS a certificate proves it. Operators have no authority for that,
// and certificates of general tools lack the datapath ids.
//
// # Inputs and outputs
//
// New makes an Authority and Load reads one from its directory; Instance, Peer and Switch sign a new
// key's certificate. Write puts a Pair of them, in PEM, into files. Datapaths reads the datapath
// ids out of a certificate, and Check compares them with what a switch says. PeerFiles give instances of a
// cluster the configurations of both ends of a connection between them, and CheckPeer tells whether a
// certificate is one of theirs.
//
// # Where the datapath id is
//
// A switch's certificate has, for each datapath that may use it, one URI among its subject
// alternative names:
//
//	openflow:00000000000000a1
//
// the scheme openflow and the id in 16 hexadecimal digits. Not the common name, which has one value
// and no syntax; several URIs, since an Open vSwitch has one certificate for all its bridges. The
// common name repeats the first for people. An openflow: URI of any other form makes the
// certificate invalid, rather than one without an id.
//
// # Invariants
//
//   - A key file is created with mode 0600, and never replaced unless told.
//   - An instance's certificate is of no use as a switch's, nor the other way round: each has its
//     one extended usage. What instances show to each other has both usages, and the URI weir:peer, with
//     which Check refuses it as a switch's; a switch's certificate never has both.
//   - Nothing that is signed is valid longer than the authority.
package cert
