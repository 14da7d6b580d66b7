"""Human approval: requests, answers, and the conditions under which an approval is valid."""
