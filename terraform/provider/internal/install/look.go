package install

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// look is the part of the program's report that is used here.
type look struct {
	Version      string `json:"version"`
	Applications []struct {
		Name    string `json:"name"`
		Same    bool   `json:"same"`
		Problem string `json:"problem"`
		Changes []struct {
			Action    string   `json:"action"`
			Kind      string   `json:"kind"`
			Namespace string   `json:"namespace"`
			Name      string   `json:"name"`
			Fields    []string `json:"fields"`
		} `json:"changes"`
	} `json:"applications"`
	Blockers []string `json:"blockers"`
}

// differences are what the engine would change, application by application.
func (l look) differences() string {
	var out strings.Builder
	for _, a := range l.Applications {
		if a.Problem != "" {
			_, _ = fmt.Fprintf(&out, "\n%s cannot be compared: %s", a.Name, a.Problem)
		}
		for _, c := range a.Changes {
			_, _ = fmt.Fprintf(&out, "\n%s: %s %s %s", a.Name, c.Action, c.Kind, strings.TrimPrefix(c.Namespace+"/"+c.Name, "/"))
			if len(c.Fields) > 0 {
				_, _ = fmt.Fprintf(&out, ": %s", strings.Join(c.Fields, ", "))
			}
		}
	}
	return short(out.String())
}

// look asks the program what a takeover would change. It writes nothing.
func (r *engineResource) look(ctx context.Context, m model) (look, error) {
	var out look
	answer, err := r.program(ctx, m, append(m.Takeover.flags(), "--output", "json")...)
	if len(answer) == 0 && err != nil {
		return out, err
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		return out, fmt.Errorf("cannot read the answer of the program causeway: %w; is it of version %s?", err, m.Version.ValueString())
	}
	return out, nil
}
