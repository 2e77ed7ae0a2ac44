package up

import (
	"strings"
	"testing"
)

func TestLimitsOfTheAudit(t *testing.T) {
	s := storeFlags{auditSize: "5Mi", auditAge: 3600}
	c, err := s.config()
	if err != nil || c.Limits.AuditBytes != 5<<20 || c.Limits.AuditAge != 3600 {
		t.Errorf("got %+v, %v", c.Limits, err)
	}
	if _, err := (&storeFlags{auditSize: "much"}).config(); err == nil || !strings.Contains(err.Error(), "--audit-size") {
		t.Errorf("got %v", err)
	}
}
