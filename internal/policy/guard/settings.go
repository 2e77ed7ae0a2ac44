package guard

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Settings are the rules of an installation.
type Settings struct {
	// Application is about the objects of one application.
	Application Rule
	// Set is about the applications of one ApplicationSet.
	Set Rule
	// Fleet is about all applications, deleted within Window by sets and by
	// applications that hold others.
	Fleet  Rule
	Window time.Duration
}

// Defaults are the rules of an installation that says nothing.
func Defaults() Settings {
	return Settings{
		Application: Rule{Share: 50, Least: 5},
		Set:         Rule{Share: 50, Least: 3},
		Fleet:       Rule{Share: 40, Least: 20},
		Window:      10 * time.Minute,
	}
}

// PastFleet tells that deletions would pass the limit of the fleet. It stands
// where the owners of one Application, set or cluster read it, who need not know how many
// there are in all, or what others delete.
func (s Settings) PastFleet() string {
	return fmt.Sprintf("together with what else is deleted it is more than the fleet lets go within %s, where the limit is %s", s.Window, s.Fleet)
}

// written is a rule as the settings have it: a text, or a mapping.
type written struct {
	MaxShare json.RawMessage `json:"maxShare,omitempty"`
	MinCount *int            `json:"minCount,omitempty"`
	MaxCount *int            `json:"maxCount,omitempty"`
	Enabled  *bool           `json:"enabled,omitempty"`

	text string
}

// UnmarshalJSON takes either form.
func (w *written) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &w.text) == nil {
		return nil
	}
	if string(data) == "false" { // YAML reads off as false
		w.text = "off"
		return nil
	}
	type plain written
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	return d.Decode((*plain)(w))
}

// over puts what is written over a rule.
func (w *written) over(base Rule) (Rule, error) {
	if w == nil {
		return base, nil
	}
	if w.text != "" {
		return Parse(w.text, base)
	}
	off := w.Enabled != nil && !*w.Enabled
	var words []string
	if share := strings.Trim(string(w.MaxShare), `"`); share != "" {
		words = append(words, strings.TrimSuffix(share, "%")+"%")
	}
	if w.MinCount != nil {
		words = append(words, "min "+strconv.Itoa(*w.MinCount))
	}
	if w.MaxCount != nil {
		words = append(words, "max "+strconv.Itoa(*w.MaxCount))
	}
	rule := base
	if len(words) > 0 {
		var err error
		if rule, err = Parse(strings.Join(words, " "), base); err != nil {
			return Rule{}, err
		}
	}
	rule.Off = rule.Off || off // its numbers are for who switches it on again
	return rule, nil
}

// maxSettings bounds the settings, in bytes.
const maxSettings = 10_000

// ParseSettings reads the rules of an installation over the defaults. Of
// settings that cannot be read nothing counts.
func ParseSettings(text string) (Settings, error) {
	out := Defaults()
	if strings.TrimSpace(text) == "" {
		return out, nil
	}
	var in struct {
		Application *written `json:"application"`
		Set         *written `json:"set"`
		Fleet       *written `json:"fleet"`
		Window      string   `json:"window"`
	}
	if len(text) > maxSettings {
		return out, wrong(fmt.Errorf("it is longer than %d bytes", maxSettings))
	}
	if err := bounded.UnmarshalStrict([]byte(text), &in); err != nil {
		return out, wrong(err)
	}
	var err error
	read := out
	for _, part := range []struct {
		from *written
		to   *Rule
	}{{in.Application, &read.Application}, {in.Set, &read.Set}, {in.Fleet, &read.Fleet}} {
		if *part.to, err = part.from.over(*part.to); err != nil {
			return out, wrong(err)
		}
	}
	if in.Window != "" {
		if read.Window, err = gitops.ParseDuration("window", in.Window); err != nil {
			return out, wrong(err)
		}
		if read.Window == 0 {
			return out, wrong(fmt.Errorf("window %q is no time at all: write one such as 10m", in.Window))
		}
	}
	return read, nil
}

func wrong(err error) error {
	return gitops.Problemf(gitops.Invalid, "cannot use the key %s: %w", v1alpha1.SettingGuard, err).
		Do("correct it; until then the default limits of deletions hold")
}
