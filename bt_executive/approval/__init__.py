"""Human approval: what is asked, what an answer is worth, and when nobody needs to be asked."""
