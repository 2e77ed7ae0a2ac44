package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// exception is a vulnerability that somebody looked at and lets be.
type exception struct {
	ID      string `json:"id"`
	Program string `json:"program"`
	Date    string `json:"date"`
	Reason  string `json:"reason"`
}

// leastReason is how long a reason is at least, in bytes: "false positive" is
// a verdict and no reason.
const leastReason = 30

var id = regexp.MustCompile(`^GO-\d{4}-\d{4,}$`)

// readExceptions reads the file, and refuses what says less than it has to.
func readExceptions(name string, programs []program) ([]exception, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the exceptions: %w", err)
	}
	var content struct {
		Exceptions []exception `json:"exceptions"`
	}
	if err := yaml.UnmarshalStrict(text, &content); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	for i, e := range content.Exceptions {
		if err := e.check(programs); err != nil {
			return nil, fmt.Errorf("%s: exception %q: %w", name, e.ID, err)
		}
		if slices.ContainsFunc(content.Exceptions[:i], func(o exception) bool { return o.ID == e.ID && o.Program == e.Program }) {
			return nil, fmt.Errorf("%s: exception %q of %s is there twice", name, e.ID, e.Program)
		}
	}
	return content.Exceptions, nil
}

func (e exception) check(programs []program) error {
	if !id.MatchString(e.ID) {
		return errors.New("id is no entry of the database: write GO-YEAR-NUMBER")
	}
	if !slices.ContainsFunc(programs, func(p program) bool { return p.name == e.Program }) {
		return fmt.Errorf("there is no program %q", e.Program)
	}
	if _, err := time.Parse(time.DateOnly, e.Date); err != nil {
		return fmt.Errorf("date %q is none: write when somebody looked, as in 2026-11-24", e.Date)
	}
	if len(strings.TrimSpace(e.Reason)) < leastReason {
		return errors.New("say in reason why it does no harm here")
	}
	return nil
}
