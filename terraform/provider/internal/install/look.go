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
	Findings []finding `json:"findings"`
	Blockers []string  `json:"blockers"`
}

// finding is a part of Argo CD and what becomes of it.
type finding struct {
	What    string `json:"what"`
	Verdict string `json:"verdict"`
	Detail  string `json:"detail"`
	Do      string `json:"do"`
}

// asItIs is the verdict of what nobody has to look at.
const asItIs = "as it is"

// findings are the parts of Argo CD that are otherwise with the engine, each
// with what to do.
func (l look) findings() string {
	var out strings.Builder
	for _, f := range l.Findings {
		if f.Verdict == asItIs {
			continue
		}
		_, _ = fmt.Fprintf(&out, "\n%s (%s): %s", f.What, f.Verdict, f.Detail)
		if f.Do != "" {
			_, _ = fmt.Fprintf(&out, "; %s", f.Do)
		}
	}
	return short(out.String())
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
