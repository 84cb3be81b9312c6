// Command weir controls OpenFlow networks, shows them, and measures.
package main

import (
	"os"

	"github.com/weirnet/weir/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
