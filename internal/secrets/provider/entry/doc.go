// Package entry has the forms that entries of stores take.
package entry
