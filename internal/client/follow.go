package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Change tells which Applications have changed.
type Change struct {
	// Keys are theirs; of no meaning when All is set.
	Keys []Key
	// All tells that any may have changed: what is known has to be read anew.
	All bool
}

// maxEvent bounds what is read of one event: a fleet that changes at once.
const maxEvent = 64 << 20

// Follow hands out changes of Applications as they happen, by server-sent
// events, until the stream ends: the server ends each after some minutes. What
// happened between two streams is told of by the first change of the next,
// which is All.
func (c *Client) Follow(ctx context.Context, heard func(Change)) error {
	answer, err := c.send(ctx, request{http.MethodGet, api.Prefix + "/events", nil, nil})
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, maxEvent)
	var kind string
	var data bytes.Buffer
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch value = strings.TrimPrefix(value, " "); name {
		case "event":
			kind = value
		case "data":
			data.WriteString(value)
		case "":
			if err := c.hear(kind, data.Bytes(), heard); err != nil {
				return err
			}
			kind = ""
			data.Reset()
		}
	}
	if err := lines.Err(); err != nil {
		return c.unanswered(ctx, err)
	}
	return nil
}

// hear hands out an event. Those of kinds that a later server has are none.
func (c *Client) hear(kind string, data []byte, heard func(Change)) error {
	switch kind {
	case "reset":
		heard(Change{All: true})
	case "applications":
		var d struct {
			Changed, Gone []Key
		}
		if err := json.Unmarshal(data, &d); err != nil {
			return fmt.Errorf("cannot understand an event of %s: is it a Causeway of this version? %w", c.base, err)
		}
		heard(Change{Keys: append(d.Changed, d.Gone...)})
	}
	return nil
}
