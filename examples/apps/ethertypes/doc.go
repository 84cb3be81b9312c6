// Package ethertypes is an application to begin with: it counts the packets that come to the controller,
// by EtherType, and answers with the counts on /v1/apps/ethertypes. docs/applications.md explains it.
package ethertypes
