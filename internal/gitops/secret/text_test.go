package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops/secret"
)

const planted = "hunter2"

// printed is a value in each way that programs print.
func printed(t *testing.T, v any) map[string]string {
	t.Helper()
	out := map[string]string{"%v": fmt.Sprintf("%v", v), "%+v": fmt.Sprintf("%+v", v), "%#v": fmt.Sprintf("%#v", v), "%s": fmt.Sprintf("%s", v), "error": fmt.Errorf("cannot use %v", v).Error()}
	var text, logged bytes.Buffer
	slog.New(slog.NewTextHandler(&text, nil)).Info("it", "value", v)
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("it", "value", v)
	out["slog"], out["slog in JSON"] = text.String(), logged.String()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out["JSON"] = string(data)
	return out
}

func TestTextsShowNothing(t *testing.T) {
	inside := struct{ Password secret.Text }{planted}
	for name, v := range map[string]any{
		"alone": secret.Text(planted), "in a struct": inside, "in a pointer": &inside,
		"in a list": []secret.Text{planted}, "in a map": map[string]secret.Text{"password": planted},
	} {
		for way, text := range printed(t, v) {
			if strings.Contains(text, planted) || !strings.Contains(text, "[redacted]") {
				t.Errorf("%s, by %s: %s", name, way, text)
			}
		}
	}
}

func TestTextsThatAreNotThere(t *testing.T) {
	if text := fmt.Sprint(secret.Text("")); text != "" {
		t.Errorf("one that is empty is shown as %q, as if it were set", text)
	}
}

func TestReveal(t *testing.T) {
	if got := secret.Text(planted).Reveal(); got != planted {
		t.Errorf("who uses it gets %q", got)
	}
}
