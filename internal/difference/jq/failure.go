package jq

import (
	"errors"
	"regexp"

	"github.com/itchyny/gojq"
)

var (
	errNoPath  = errors.New("it gives something else where a path belongs")
	errGaveUp  = errors.New("the interpreter gave up")
	errNoJSON  = errors.New("it gives what JSON has no form for")
	errCalled  = errors.New("it calls error")
	errHalted  = errors.New("it calls halt")
	errRefused = errors.New("a function of it refuses what it is given")
)

// metType is how the interpreter begins the text of a failure that tells the
// type of what it met, up to the value itself.
var metType = regexp.MustCompile(`^(?:cannot [a-z ]+|expected [a-z ]+ but got|invalid path [a-z ]+): (?:null|boolean|number|string|array|object)\b`)

// kindOf tells what failed, and of what an expression met no more than the type:
// the interpreter's own text quotes the object, and what error is given is
// whatever the expression makes of it. People who see no object see this text.
func kindOf(failure error) string {
	var halted *gojq.HaltError
	var raised gojq.ValueError
	switch {
	case errors.Is(failure, errNoPath), errors.Is(failure, errGaveUp), errors.Is(failure, errNoJSON):
		return failure.Error()
	case errors.As(failure, &halted):
		return errHalted.Error()
	case errors.As(failure, &raised):
		return errCalled.Error()
	}
	if met := metType.FindString(failure.Error()); met != "" {
		return met
	}
	return errRefused.Error()
}
