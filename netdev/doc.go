// Package netdev reaches network devices of Linux wherever they are: in the process's network
// namespace or in another one.
//
// # The problem
//
// A network namespace belongs to a thread, and a goroutine to no thread in particular. What is done
// in another namespace has to be done on a thread that is brought there and back. And what a packet
// socket gives is not what was on the wire: the kernel takes VLAN tags out of frames, and devices
// merge frames, cut them and leave checksums out.
//
// # Inputs and outputs
//
// At opens a namespace by its name or path, Hidden makes one that ends with the process. A Place
// finds links in it, and has a function run inside of it. Socket opens a packet socket, and
// RestoreTag puts a frame's tag back. Offloads are the features that make frames other than they
// are on the wire.
//
// All of it is Linux's: elsewhere the package has only its errors.
package netdev

import "errors"

// ErrNoNamespace is of a network namespace that is not there.
var ErrNoNamespace = errors.New("there is no such network namespace: make it with ip netns add")
