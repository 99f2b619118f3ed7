"""The spine: rules -> positions -> strata -> values -> table."""
