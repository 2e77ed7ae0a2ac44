// Package address opens the keys that addresses name: age:/etc/causeway/kms.key, vault://…, aws:….
package address
