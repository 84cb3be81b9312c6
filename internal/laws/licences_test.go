package laws

import (
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// licence names a permissive licence by a sentence of its text; "" for any other text.
func licence(text string) string {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, l := range []struct{ name, sentence string }{
		{"Apache-2.0", "apache license version 2.0"},
		{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
		{"BSD", "redistribution and use in source and binary forms, with or without modification, are permitted"},
		{"ISC", "permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted"},
		{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"},
	} {
		if strings.Contains(text, l.sentence) {
			return l.name
		}
	}
	return ""
}

// modules lists the modules compiled into the binary: path and folder.
func modules(t *testing.T) map[string]string {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./cmd/weir")
	list.Dir = root
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	found := map[string]string{}
	for line := range strings.SplitSeq(string(out), "\n") {
		if path, dir, ok := strings.Cut(line, " "); ok {
			found[path] = dir
		}
	}
	return found
}

func TestLicencesOfTheBinary(t *testing.T) {
	var said []string
	for path, dir := range modules(t) {
		var names []string
		for _, pattern := range []string{"LICENSE*", "LICENCE*", "License*", "license*", "COPYING*"} {
			match, _ := filepath.Glob(filepath.Join(dir, pattern))
			names = append(names, match...)
		}
		name := ""
		for _, n := range names {
			if text, err := os.ReadFile(n); err == nil && name == "" {
				name = licence(string(text))
			}
		}
		if name == "" {
			t.Errorf("%s: no permissive licence found in %v (Apache-2.0, MIT, BSD, ISC)", path, names)
		}
		said = append(said, path+" "+name)
	}
	sort.Strings(said)
	t.Logf("%s", strings.Join(said, "\n"))
}

func TestLicenceIsOurs(t *testing.T) {
	if got := licence(read(t, "LICENSE")); got != "Apache-2.0" {
		t.Errorf("LICENSE reads as %q", got)
	}
	if got := licence("GNU GENERAL PUBLIC LICENSE Version 3"); got != "" {
		t.Errorf("the GPL reads as %q", got)
	}
}
