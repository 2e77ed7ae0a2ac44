package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// Problem is an answer that something is not so, in the server's words.
type Problem struct {
	Status int
	Title  string
	Detail string
	// Errors are what is wrong with parts of the request.
	Errors []Part
}

// Part is what is wrong with one part of a request.
type Part struct {
	Message  string `json:"message"`
	Location string `json:"location"`
}

// Error says what, where and what to do, as far as the server does.
func (p *Problem) Error() string {
	texts := []string{cmp.Or(p.Detail, p.Title)}
	for _, part := range p.Errors {
		text := part.Message
		if part.Location != "" {
			text += " at " + part.Location
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// Is reports whether an error is a server's answer of a status.
func Is(err error, status int) bool {
	var p *Problem
	return errors.As(err, &p) && p.Status == status
}

// problemOf reads an error answer: a problem document, Argo CD's form, or what
// a proxy says.
func problemOf(answer *http.Response) *Problem {
	text, _ := io.ReadAll(io.LimitReader(answer.Body, maxError)) // what is there says enough
	_ = answer.Body.Close()
	p := &Problem{Status: answer.StatusCode, Title: "the server answers " + answer.Status}
	var said struct {
		Title, Detail, Message string
		Errors                 []Part
	}
	if json.Unmarshal(text, &said) != nil {
		return p
	}
	p.Errors = said.Errors
	for _, one := range []string{said.Detail, said.Message, said.Title} {
		if one != "" {
			p.Detail = one
			break
		}
	}
	return p
}
